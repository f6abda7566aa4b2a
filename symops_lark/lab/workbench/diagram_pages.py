"""The frames of railroad diagrams: an HTML page and an SVG file, with their styles."""

# Light and dark by the settings of the reader; nothing is loaded from the network.
STYLE = """\
svg.railroad-diagram path { stroke: #555; stroke-width: 2; fill: none; }
svg text { font: 14px ui-monospace, "DejaVu Sans Mono", Menlo, Consolas, monospace;
  fill: #111; text-anchor: middle; }
svg text.name, svg text.chapter, svg text.title { text-anchor: start; font-weight: bold; }
svg text.chapter { font-size: 20px; }
svg text.title { font-size: 24px; }
svg rect { stroke-width: 1.5; }
svg rect.page { fill: #fff; }
svg .literal rect { fill: #e3f3e3; stroke: #2e7d32; }
svg .rule rect { fill: #e4ecfb; stroke: #3555a5; }
svg .terminal rect { fill: #fff1cf; stroke: #8a6100; }
svg .pattern rect { fill: #f4f4f4; stroke: #777; stroke-dasharray: 4 3; }
svg .note rect { fill: none; stroke: none; }
@media (prefers-color-scheme: dark) {
  svg.railroad-diagram path { stroke: #aaa; }
  svg text { fill: #eee; }
  svg rect.page { fill: #16181c; }
  svg .literal rect { fill: #1d3a20; stroke: #7cc47f; }
  svg .rule rect { fill: #1f2b47; stroke: #8fabf0; }
  svg .terminal rect { fill: #40330f; stroke: #dcb150; }
  svg .pattern rect { fill: #26292e; stroke: #999; }
}
"""
PAGE_STYLE = """\
:root { color-scheme: light dark; }
body { font: 16px/1.5 system-ui, sans-serif; margin: 2rem auto; max-width: 64rem; padding: 0 1rem;
  color: #111; background: #fff; }
nav a { font-family: ui-monospace, monospace; margin-right: 0.7em; display: inline-block; }
nav h2 { font-size: 1rem; margin: 0.8rem 0 0; }
nav p { margin: 0; }
a { color: #1f4fb5; }
section div { overflow-x: auto; }
section:target h3 { background: #fff1a8; color: #111; }
h3 { font: bold 1rem ui-monospace, monospace; margin: 1.2rem 0 0; }
.chapter { display: flex; flex-wrap: wrap; gap: 0 1.5rem; }
.chapter section { max-width: 100%; }
@media (prefers-color-scheme: dark) {
  body { color: #eee; background: #16181c; }
  a { color: #8fb4ff; }
}
"""
KEY = """\
<p>Read each diagram from left to right along the line. Round boxes are literal text (␣ is a blank),
blue ones rules, yellow ones terminals, dashed ones classes of characters or regular
expressions.</p>"""
PAGE = """\
<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8"/>
<meta name="viewport" content="width=device-width"/>
<title>{title}</title>
<style>
{style}</style>
</head>
<body>
<h1>{title}</h1>
{key}
<nav>
{contents}
</nav>
{sections}
</body>
</html>
"""
SVG = """\
<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}" \
viewBox="0 0 {width} {height}">
<title>{title}</title>
<style>
svg {{ color-scheme: light dark; }}
{style}</style>
<rect class="page" width="100%" height="100%"/>
{pieces}
</svg>
"""
