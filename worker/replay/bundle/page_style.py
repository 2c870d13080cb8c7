"""The page's own style sheet: calm, narrow and wide, light and dark, nothing from elsewhere."""

STYLE = """
:root { --paper:#faf9f7; --card:#fff; --sunk:#f3f1ed; --ink:#1c1f23; --soft:#5a6069; --line:#e2dfd9;
  --bad:#b3261e; --good:#1d7a46; color-scheme:light dark; }
@media (prefers-color-scheme: dark) { :root { --paper:#131519; --card:#1a1d22; --sunk:#22262c;
  --ink:#e7e5e0; --soft:#a3a8b0; --line:#2e333b; --bad:#ff8a80; --good:#6fd097; } }
*, *::before, *::after { box-sizing:border-box; }
html { -webkit-text-size-adjust:100%; text-size-adjust:100%; }
body { margin:0; background:var(--paper); color:var(--ink); font:15px/1.5 system-ui,sans-serif;
  font-variant-numeric:tabular-nums; overflow-wrap:anywhere; }
main { max-width:64rem; margin:0 auto; padding:1.25rem 1rem 3rem; }
h1 { font-size:1.35rem; line-height:1.25; margin:0 0 .25rem; }
h2 { font-size:1.1rem; margin:0 0 .5rem; }
h3 { font-size:1rem; margin:1rem 0 .25rem; }
h4 { font-size:.9rem; margin:.75rem 0 .25rem; }
p { margin:.25rem 0 .5rem; }
section { background:var(--card); border:1px solid var(--line); border-radius:8px; padding:1rem;
  margin:1rem 0; }
.verdict { font-weight:650; }
.lead { font-size:1.02rem; }
.soft { color:var(--soft); }
pre, code { font:13px/1.45 ui-monospace,"DejaVu Sans Mono",monospace; white-space:pre-wrap; margin:0; }
pre { background:var(--sunk); border-radius:6px; padding:.6rem .75rem; }
ol.frames { margin:.25rem 0; padding:0; list-style:none; font-size:.85rem; color:var(--soft); }
ol.frames li { padding:.1rem 0 .1rem .75rem; border-left:2px solid var(--line); }
ol.frames li.own { color:var(--ink); border-left-color:var(--bad); }
ol.frames code { display:block; }
.scroll { overflow-x:auto; overflow-wrap:normal; margin:.5rem 0; border:1px solid var(--line);
  border-radius:6px; }
table { border-collapse:collapse; width:100%; font-size:.85rem; }
caption { text-align:left; padding:.5rem .6rem; font-weight:600; }
th, td { text-align:left; vertical-align:top; padding:.3rem .6rem; border-top:1px solid var(--line);
  white-space:nowrap; }
tbody th { font-weight:500; }
td:last-child { white-space:normal; min-width:14rem; }
summary { cursor:pointer; padding:.35rem 0; font-weight:600; }
.legend { display:flex; flex-wrap:wrap; gap:.25rem 1rem; margin:.5rem 0; padding:0; list-style:none;
  font-size:.85rem; }
.legend li { display:flex; align-items:center; gap:.35rem; }
.patterns { position:absolute; }
.legend svg { flex:none; }
:focus-visible { outline:2px solid var(--soft); outline-offset:2px; }
@media print { body { background:none; } section { break-inside:avoid-page; } }
"""
