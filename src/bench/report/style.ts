// The report's one style sheet. Colours by meaning, in a light and a dark set; text always says the same as colour.

export const reportStyle = `
:root { color-scheme: light dark; --bg: #fbfbfa; --card: #fff; --text: #1f2328; --soft: #656d76; --line: #e3e5e8; --good: #1a7f37; --bad: #b42318; --win: #1f6feb; --run: #8fb5f0; --fail: #d1495b; --lost: #b7bec7; --band: #f4f5f7; }
@media (prefers-color-scheme: dark) { :root { --bg: #16181c; --card: #1d2025; --text: #e3e6ea; --soft: #97a0aa; --line: #30353c; --good: #4ac26b; --bad: #ff7b72; --win: #58a6ff; --run: #2f5a94; --fail: #f47067; --lost: #59626d; --band: #22262c; } }
* { box-sizing: border-box; }
body { margin: 0; background: var(--bg); color: var(--text); font: 14px/1.5 system-ui, -apple-system, "Segoe UI", sans-serif; }
main { max-width: 1040px; margin: 0 auto; padding: 28px 20px 60px; }
h1 { font-size: 15px; font-weight: 600; margin: 0; color: var(--soft); }
h2 { font-size: 15px; font-weight: 600; margin: 0 0 10px; }
header, section { background: var(--card); border: 1px solid var(--line); border-radius: 10px; padding: 18px 20px; margin-bottom: 16px; }
header { border-left: 4px solid var(--good); }
header.bad { border-left-color: var(--bad); }
.verdict { font-size: 20px; line-height: 1.35; margin: 6px 0 14px; }
.mark { color: var(--good); font-weight: 700; }
.bad .mark { color: var(--bad); }
.facts { display: flex; flex-wrap: wrap; gap: 10px 28px; margin: 0; }
.facts dt { color: var(--soft); font-size: 12px; }
.facts dd { margin: 0; font-variant-numeric: tabular-nums; }
.scroll { overflow-x: auto; }
table { border-collapse: collapse; width: 100%; font-size: 13px; }
th { text-align: left; font-weight: 500; color: var(--soft); border-bottom: 1px solid var(--line); padding: 4px 12px 6px 0; white-space: nowrap; }
td { border-bottom: 1px solid var(--line); padding: 6px 12px 6px 0; vertical-align: top; }
tr:last-child td { border-bottom: 0; }
.number { font-variant-numeric: tabular-nums; white-space: nowrap; }
.code { font-family: ui-monospace, SFMono-Regular, Menlo, Consolas, monospace; font-size: 12px; overflow-wrap: anywhere; }
td .code { color: var(--soft); }
.soft, .hint { color: var(--soft); }
.hint { margin: 0 0 10px; }
.open { color: var(--bad); margin: 0; padding-left: 18px; }
.money { width: auto; }
.timeline { width: 100%; height: auto; display: block; font-size: 10.5px; }
.band { fill: var(--band); }
.grid { stroke: var(--line); }
.tick { fill: var(--soft); text-anchor: middle; font-size: 10px; }
.step { fill: var(--soft); font-weight: 600; }
.name { fill: var(--text); font-family: ui-monospace, SFMono-Regular, Menlo, Consolas, monospace; font-size: 10px; }
.bar.winner { fill: var(--win); }
.bar.succeeded, .bar.running { fill: var(--run); }
.bar.failed { fill: var(--fail); }
.bar.cancelled { fill: none; stroke: var(--lost); stroke-dasharray: 3 2; }
.first { fill: var(--card); stroke: var(--text); }
.note { fill: var(--soft); font-size: 10px; }
.note.failed { fill: var(--fail); }
.legend { color: var(--soft); font-size: 12px; margin: 0 0 8px; display: flex; flex-wrap: wrap; gap: 4px 16px; }
.key::before { content: ""; display: inline-block; width: 18px; height: 8px; border-radius: 2px; margin-right: 6px; }
.key.winner::before { background: var(--win); }
.key.succeeded::before { background: var(--run); }
.key.failed::before { background: var(--fail); }
.key.cancelled::before { border: 1px dashed var(--lost); }
.quality { vertical-align: -1px; margin-right: 6px; }
.quality .track { fill: var(--line); }
.quality .fill { fill: var(--win); }
.quality .whisker { stroke: var(--text); stroke-width: 1.5; }
`;
