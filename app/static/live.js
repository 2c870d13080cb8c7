// Small comforts; every page works without them. "/" goes to the search, and the first screen keeps itself fresh.

const REFRESH_MS = 30_000;

document.addEventListener("keydown", (event) => {
  const busy = event.target.closest("input, select, textarea");
  const search = document.querySelector("input[type=search]");
  if (event.key === "/" && !busy && !event.ctrlKey && !event.metaKey && search) {
    event.preventDefault();
    search.focus();
  }
});

// An error leaves what stands there as it is: it says itself how old it is.
async function refresh(part) {
  const answer = await fetch(location.href, { headers: { Accept: "text/html" } });
  if (!answer.ok) return;
  const page = new DOMParser().parseFromString(await answer.text(), "text/html");
  const fresh = page.querySelector("[data-live]");
  const footer = page.querySelector(".colophon");
  if (!fresh || part.contains(document.activeElement)) return;
  part.replaceChildren(...fresh.childNodes);
  document.querySelector(".colophon").replaceChildren(...footer.childNodes);
}

const live = document.querySelector("[data-live]");
if (live) {
  setInterval(() => {
    if (!document.hidden) refresh(live).catch(() => {});
  }, REFRESH_MS);
}
