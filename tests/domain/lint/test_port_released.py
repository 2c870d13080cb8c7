"""Port numbers that outlive their socket, and those that do not."""

import pytest
from marked import assert_marked, found

from app.domain.lint.finding import Rule

RULE = Rule.PORT_FOUND_THEN_RELEASED

WEAK = {
    "a with block": """
        def free_port():
            with socket.socket() as s:
                s.bind(("", 0))  # <-
                return s.getsockname()[1]
        def test_run():
            mp.spawn(print, args=(free_port(),))
    """,
    "closed by hand": """
        def free_port():
            s = socket.socket()
            s.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            s.bind(("127.0.0.1", 0))  # <-
            port = s.getsockname()[1]
            s.close()
            return port
    """,
    "closed with its function": """
        def free_port():
            s = socket.socket()
            s.bind(("127.0.0.1", 0))  # <-
            return s.getsockname()[1]
    """,
    "a fixture": """
        @pytest.fixture
        def port():
            with socket.socket() as s:
                s.bind(("127.0.0.1", 0))  # <-
                number = s.getsockname()[1]
            yield number
        def test_store(port):
            dist.TCPStore("127.0.0.1", port, 1, True)
    """,
    "on an instance": """
        class Case(unittest.TestCase):
            def setUp(self):
                self.sock = socket.socket()
                self.sock.bind(("127.0.0.1", 0))  # <-
                self.port = self.sock.getsockname()[1]
                self.sock.close()
            def test_port(self):
                os.environ["MASTER_PORT"] = str(self.port)
    """,
    "into the environment": """
        def choose():
            with socket.socket() as s:
                s.bind(("127.0.0.1", 0))  # <-
                os.environ["MASTER_PORT"] = str(s.getsockname()[1])
    """,
    "used in the test behind the block": """
        def test_inline():
            with socket.socket() as s:
                s.bind(("127.0.0.1", 0))  # <-
                _, port = s.getsockname()
            subprocess.run(["torchrun", f"--master-port={port}", "x.py"])
    """,
    "a server made to learn a number": """
        from socketserver import TCPServer
        def free_port():
            server = TCPServer(("127.0.0.1", 0), None)  # <-
            number = server.server_address[1]
            server.server_close()
            return number
    """,
    "a candidate that was free when asked": """
        def first_free():
            for port in range(20000, 20100):
                with socket.socket() as s:
                    try:
                        s.bind(("127.0.0.1", port))  # <-
                        return port
                    except PermissionError:
                        pass
        def is_free(port):
            with socket.socket() as s:
                try:
                    s.bind(("127.0.0.1", port))  # <-
                except OSError:
                    return False
                return True
    """,
    "a finder of a library": """
        from torch.testing._internal.common_utils import find_free_port
        def test_run():
            os.environ["MASTER_PORT"] = str(find_free_port())  # <-
    """,
    "several": """
        def free_ports(n):
            held = [socket.socket() for _ in range(n)]
            for s in held:
                s.bind(("127.0.0.1", 0))  # <-
            ports = [s.getsockname()[1] for s in held]
            for s in held:
                s.close()
            return ports
    """,
}


@pytest.mark.parametrize("body", WEAK.values(), ids=WEAK)
def test_number_that_outlives_its_socket_is_found(body: str) -> None:
    assert_marked(RULE, body)


HEALTHY = {
    "used while the block holds it": """
        @pytest.fixture
        def port():
            with socket.socket() as s:
                s.bind(("127.0.0.1", 0))
                s.listen()
                os.environ["PORT"] = str(s.getsockname()[1])
                yield s.getsockname()[1]
    """,
    "the socket is returned": """
        def listener():
            s = socket.socket()
            s.bind(("127.0.0.1", 0))
            return s, s.getsockname()[1]
    """,
    "the socket is handed on": """
        def test_store():
            s = socket.socket()
            s.bind(("127.0.0.1", 0))
            s.listen()
            port = s.getsockname()[1]
            dist.TCPStore("127.0.0.1", port, 1, True, master_listen_fd=s.fileno())
            s.close()
            print(port)
    """,
    "a server that serves": """
        from http.server import HTTPServer
        def test_server():
            server = HTTPServer(("127.0.0.1", 0), None)
            port = server.server_address[1]
            threading.Thread(target=server.serve_forever).start()
            connect(port)
            server.server_close()
        def made():
            print(HTTPServer(("127.0.0.1", 0), None))
            with HTTPServer(("127.0.0.1", 0), None):
                pass
    """,
    "kept on the instance": """
        class Mailbox:
            def __init__(self):
                self.sock = socket.socket()
                self.sock.bind(("127.0.0.1", 0))
                self.port = self.sock.getsockname()[1]
    """,
    "put where it is kept": """
        HELD = {}
        def hold(name):
            s = socket.socket()
            s.bind(("127.0.0.1", 0))
            HELD[name] = s
            return s.getsockname()[1]
    """,
    "meant to be closed": """
        def closed_port():
            with socket.socket() as s:
                s.bind(("127.0.0.1", 0))
                return s.getsockname()[1]
        def test_refused():
            s = socket.socket()
            s.bind(("127.0.0.1", 0))
            address = s.getsockname()
            s.close()
            with pytest.raises(ConnectionRefusedError):
                socket.create_connection(address)
    """,
    "tried again with another": """
        def free_port():
            with socket.socket() as s:
                s.bind(("127.0.0.1", 0))
                return s.getsockname()[1]
        def store():
            for _ in range(5):
                try:
                    return dist.TCPStore("127.0.0.1", free_port(), 1, True)
                except (OSError, RuntimeError):
                    continue
    """,
    "another kind of bind": """
        def test_query(query, connection):
            query.bind("a")
            query.bind(("a",))
            query.bind(("a", 0))
            print(query)
            connection.bind(("127.0.0.1", 8080))
    """,
    "a server on a candidate's port that serves": """
        def serve(port):
            s = socket.socket()
            s.bind(("127.0.0.1", port))
            s.listen()
            other, _ = s.accept()
            return port
    """,
    "a module's own socket": """
        S = socket.socket()
        S.bind(("127.0.0.1", 0))
        PORT = S.getsockname()[1]
    """,
    "one after the other under one name": """
        def listen(conn):
            s = socket.create_server(("127.0.0.1", 0))
            conn.send(s.getsockname())
            s.close()
            s = socket.create_server(("127.0.0.1", 0))
            conn.send(s.getsockname())
            s.close()
    """,
    "no meeting of ranks": """
        from portpicker import pick_unused_port
        def test_page():
            print(pick_unused_port())
    """,
}


@pytest.mark.parametrize("body", HEALTHY.values(), ids=HEALTHY)
def test_number_whose_socket_is_held_or_not_needed_is_left_alone(body: str) -> None:
    assert_marked(RULE, body)


def test_mend_is_in_the_terms_of_what_the_file_does_with_the_number() -> None:
    finder = WEAK["closed with its function"]
    assert "create_server" in found(RULE, finder)[0].mend
    joining = finder + "\n        os.environ['MASTER_PORT'] = str(free_port())\n"
    assert "file://" in found(RULE, joining)[0].mend
    store = finder + "\n        dist.TCPStore('h', free_port(), 1, True)\n"
    assert "store.port" in found(RULE, store)[0].mend
    assert "--standalone" in found(RULE, WEAK["used in the test behind the block"])[0].mend


def test_tests_that_use_the_number_are_named() -> None:
    assert found(RULE, WEAK["a fixture"])[0].test == "test_x.py::test_store"
    assert found(RULE, WEAK["a with block"])[0].test == "test_x.py::test_run"
