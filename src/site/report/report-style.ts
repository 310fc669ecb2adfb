/** One stylesheet, in the page. Colours follow the reader's system; nothing is loaded. */
export const REPORT_STYLE = `
:root {
  color-scheme: light dark;
  --bg: #f6f8fa; --card: #ffffff; --ink: #1a2530; --soft: #5a6b7b; --line: #dfe5eb; --code: #eef2f6;
  --sea: #0b7285; --good: #2b8a3e; --bad: #c92a2a; --warn: #b35c00; --idle: #9aa7b4;
  --good-bg: #e6f5e9; --bad-bg: #fdeaea; --warn-bg: #fff3e0;
}
@media (prefers-color-scheme: dark) {
  :root {
    --bg: #0f161d; --card: #17212b; --ink: #e4ebf1; --soft: #94a4b3; --line: #2a3845; --code: #101a22;
    --sea: #4cc2d6; --good: #69c37b; --bad: #ff8787; --warn: #ffb45e; --idle: #5c6b79;
    --good-bg: #14301b; --bad-bg: #3a1a1a; --warn-bg: #35250f;
  }
}
* { box-sizing: border-box; }
body {
  margin: 0; background: var(--bg); color: var(--ink);
  font: 15px/1.5 system-ui, -apple-system, "Segoe UI", Roboto, "Noto Sans", sans-serif;
}
main { max-width: 1120px; margin: 0 auto; padding: 32px 24px 64px; }
header { display: flex; flex-wrap: wrap; align-items: baseline; gap: 8px 16px; margin-bottom: 20px; }
h1 { font-size: 28px; line-height: 1.2; margin: 0; letter-spacing: -0.01em; }
h2 { font-size: 17px; margin: 0 0 12px; }
h3 { font-size: 15px; margin: 0 0 4px; }
p { margin: 0 0 8px; }
.soft { color: var(--soft); }
.badge { border-radius: 999px; padding: 2px 12px; font-weight: 600; font-size: 14px; }
.badge.good { color: var(--good); background: var(--good-bg); }
.badge.bad { color: var(--bad); background: var(--bad-bg); }
section { background: var(--card); border: 1px solid var(--line); border-radius: 10px; padding: 20px; margin-top: 16px; }
.figures { display: grid; grid-template-columns: repeat(auto-fit, minmax(150px, 1fr)); gap: 12px; }
.figure { background: var(--card); border: 1px solid var(--line); border-radius: 10px; padding: 14px 18px; }
.figure b { display: block; font-size: 24px; line-height: 1.25; font-variant-numeric: tabular-nums; }
.figure span { color: var(--soft); font-size: 13px; }
dl.facts { display: flex; flex-wrap: wrap; gap: 4px 24px; margin: 14px 2px 0; color: var(--soft); font-size: 13px; }
dl.facts div { display: flex; gap: 6px; }
dl.facts dd { margin: 0; color: var(--ink); overflow-wrap: anywhere; }
.columns { display: grid; grid-template-columns: repeat(auto-fit, minmax(300px, 1fr)); gap: 24px; }
.columns ul { margin: 0; padding-left: 20px; }
table { width: 100%; border-collapse: collapse; font-size: 14px; }
th { text-align: left; font-weight: 600; color: var(--soft); font-size: 12px; padding: 0 10px 6px 0; }
td { padding: 6px 10px 6px 0; border-top: 1px solid var(--line); vertical-align: top; overflow-wrap: anywhere; }
td.number, th.number { text-align: right; font-variant-numeric: tabular-nums; white-space: nowrap; }
td.bar { width: 45%; padding-right: 0; }
td.bar svg { display: block; width: 100%; height: 18px; }
.state { white-space: nowrap; font-weight: 600; }
.finished, .joined, .complete { color: var(--good); }
.failed { color: var(--bad); }
.skipped, .not-run, .stopped { color: var(--soft); }
rect.finished, rect.joined, rect.complete { fill: var(--sea); }
rect.failed { fill: var(--bad); }
rect.skipped, rect.not-run, rect.stopped { fill: var(--idle); }
rect.track { fill: var(--code); }
code, pre { font-family: ui-monospace, "SF Mono", Menlo, Consolas, "DejaVu Sans Mono", monospace; font-size: 12.5px; }
pre { background: var(--code); border-radius: 8px; padding: 12px 14px; margin: 8px 0 0; overflow-x: auto; white-space: pre-wrap; overflow-wrap: anywhere; }
details { border-top: 1px solid var(--line); padding: 8px 0; }
details:last-child { padding-bottom: 0; }
details details { margin-left: 18px; }
details details:first-of-type { margin-top: 8px; }
summary { cursor: pointer; font-weight: 600; }
summary .soft { font-weight: 400; }
details table { margin-top: 8px; }
.failure { border-left: 4px solid var(--bad); }
.warning { border-left: 3px solid var(--warn); background: var(--warn-bg); border-radius: 0 8px 8px 0; padding: 8px 12px; margin-top: 8px; }
.timeline { overflow-x: auto; }
.timeline svg { width: 100%; min-width: 900px; height: auto; display: block; }
.timeline svg rect[fill="#ffffff"] { fill: transparent; }
.timeline svg rect[fill="#f5f5f5"] { fill: var(--code); }
.timeline svg > text { fill: var(--ink); }
footer { color: var(--soft); font-size: 13px; margin-top: 24px; }
@media print {
  body { background: #ffffff; }
  main { padding: 0; max-width: none; }
  section, .figure { break-inside: avoid; }
}
`;
