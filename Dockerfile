# Two images of one distribution: `web` without torch, `worker` with it for the processes under replay.
#
#   docker build --target web --tag flake-triage-web .
#   docker build --target worker --tag flake-triage-worker --build-arg TORCH_INDEX=... .
#
# Every package comes in the version that constraints.txt names. What changes often is copied last, so a change
# of the code leaves the layers with the packages as they are.
ARG BASE=python:3.11-slim-bookworm


FROM ${BASE} AS tools
ENV PIP_NO_CACHE_DIR=1 PIP_DISABLE_PIP_VERSION_CHECK=1 PIP_ROOT_USER_ACTION=ignore
WORKDIR /build
COPY constraints.txt .
RUN python3 -m venv /opt/tools \
    && /opt/tools/bin/python -m pip install --no-cache-dir --constraint constraints.txt hatchling


# Of pyproject.toml only what is wanted, so that a linter's settings bring no new packages.
FROM tools AS wanted
COPY pyproject.toml .
RUN /opt/tools/bin/python -c "import tomllib; project = tomllib.load(open('pyproject.toml', 'rb'))['project']; \
print(*project['dependencies'], sep='\n', file=open('requirements.txt', 'w')); \
print(*project['optional-dependencies']['replay'], sep='\n', file=open('replay.txt', 'w'))"


FROM tools AS packages
COPY --from=wanted /build/requirements.txt .
RUN python3 -m venv --without-pip /opt/flake-triage \
    && /opt/tools/bin/python -m pip --python /opt/flake-triage/bin/python install --no-cache-dir \
        --constraint constraints.txt --requirement requirements.txt


# torch goes in first and by its pinned version: a range would take the newest build for CUDA.
FROM packages AS packages-with-torch
ARG TORCH_INDEX=
COPY --from=wanted /build/replay.txt .
RUN torch="$(grep '^torch==' constraints.txt)" \
    && set -- /opt/tools/bin/python -m pip --python /opt/flake-triage/bin/python install --no-cache-dir \
    && "$@" --no-deps ${TORCH_INDEX:+--index-url "${TORCH_INDEX}"} "${torch}" \
    && /opt/flake-triage/bin/python -c "import importlib.util, runpy, sys; \
package = importlib.util.find_spec('torch').submodule_search_locations[0]; \
cuda = runpy.run_path(package + '/version.py')['cuda']; \
sys.exit(cuda and f'a build for CUDA {cuda}: name an index of CPU builds, --build-arg TORCH_INDEX=...')" \
    && "$@" --constraint constraints.txt --requirement replay.txt


# The distribution alone, laid out to be copied over a folder of packages.
FROM packages AS distribution
COPY pyproject.toml README.md LICENSE ./
COPY migrations migrations
COPY app app
COPY worker worker
RUN /opt/tools/bin/python -m pip wheel --no-cache-dir --no-deps --no-build-isolation --wheel-dir /wheels . \
    && /opt/tools/bin/python -m pip --python /opt/flake-triage/bin/python install --no-cache-dir \
        --no-deps --prefix /distribution /wheels/*.whl


# What both images are before their packages: a user without rights, one folder that it may write, no pip.
FROM ${BASE} AS runtime
RUN groupadd --gid 10001 triage \
    && useradd --uid 10001 --gid triage --no-create-home --home-dir /data --no-log-init --shell /usr/sbin/nologin triage \
    && install --directory --owner=10001 --group=10001 --mode=0750 /data \
    && rm -rf /usr/local/bin/pip* /usr/local/lib/python3.*/site-packages/* /usr/local/lib/python3.*/ensurepip
ENV PATH=/opt/flake-triage/bin:${PATH} \
    LANG=C.UTF-8 \
    PYTHONDONTWRITEBYTECODE=1 \
    PYTHONUNBUFFERED=1 \
    FLAKE_TRIAGE_DATA_DIR=/data
LABEL org.opencontainers.image.title="flake-triage" \
    org.opencontainers.image.description="Tells people who use GitHub Actions whether a red test is theirs, and why it failed." \
    org.opencontainers.image.licenses="Apache-2.0"
VOLUME /data
WORKDIR /data
STOPSIGNAL SIGTERM
ENTRYPOINT ["flake-triage"]


FROM runtime AS web
COPY --from=packages /opt/flake-triage /opt/flake-triage
COPY --from=distribution /distribution /opt/flake-triage
ENV FLAKE_TRIAGE_HOST=0.0.0.0 FLAKE_TRIAGE_PORT=8077
EXPOSE 8077
USER 10001:10001
HEALTHCHECK --interval=15s --timeout=5s --start-period=60s --retries=3 \
    CMD ["python", "-c", "import os, urllib.request as web; web.urlopen('http://127.0.0.1:' + os.environ['FLAKE_TRIAGE_PORT'] + '/healthz', timeout=4)"]
CMD ["web"]


FROM runtime AS worker
COPY --from=packages-with-torch /opt/flake-triage /opt/flake-triage
COPY --from=distribution /distribution /opt/flake-triage
USER 10001:10001
# The command takes a second of a core to start, and far longer where cores are busy.
HEALTHCHECK --interval=60s --timeout=30s --start-period=60s --retries=3 CMD ["flake-triage", "health"]
CMD ["worker"]
