import { createHash } from 'node:crypto';

/** The one stylesheet of all pages, for 360 px of width and more, in light and dark. */
export const STYLESHEET = `
:root {
  color-scheme: light dark;
  --ground: #ffffff;
  --raised: #f5f6f8;
  --line: #d5d9e0;
  --text: #1c2230;
  --muted: #545d6e;
  --link: #0b5cad;
  --button: #0b5cad;
  --on-button: #ffffff;
  --good: #1a6b3c;
  --bad: #b3261e;
  --warn: #7a5200;
  --good-ground: #e5f4ea;
  --bad-ground: #fdeceb;
  --warn-ground: #fdf3dc;
  --mono: ui-monospace, 'SFMono-Regular', Menlo, Consolas, 'DejaVu Sans Mono', monospace;
}
@media (prefers-color-scheme: dark) {
  :root {
    --ground: #14171d;
    --raised: #1e232c;
    --line: #3a4250;
    --text: #e6e9ef;
    --muted: #a5aebd;
    --link: #7db8f5;
    --button: #7db8f5;
    --on-button: #10141a;
    --good: #7fd6a1;
    --bad: #ff9b94;
    --warn: #f0c674;
    --good-ground: #16301f;
    --bad-ground: #3a1b1a;
    --warn-ground: #352a12;
  }
}
* { box-sizing: border-box; }
html { font: 16px/1.5 system-ui, -apple-system, 'Segoe UI', Roboto, 'DejaVu Sans', sans-serif; }
body { margin: 0; background: var(--ground); color: var(--text); overflow-wrap: anywhere; }
a { color: var(--link); }
:focus-visible { outline: 3px solid var(--link); outline-offset: 2px; border-radius: 2px; }
main:focus { outline: none; }
.skip { position: absolute; left: 1rem; top: -4rem; padding: .5rem 1rem; background: var(--button); color: var(--on-button); }
.skip:focus { top: .5rem; }
.top { border-bottom: 1px solid var(--line); background: var(--raised); }
.top nav { display: flex; flex-wrap: wrap; align-items: center; justify-content: space-between; gap: .25rem 1rem; max-width: 72rem; margin: 0 auto; padding: .6rem 1rem; }
.brand { font-weight: 700; color: inherit; text-decoration: none; }
.account { display: flex; flex-wrap: wrap; align-items: center; gap: .25rem 1rem; }
.account form { margin: 0; }
main { max-width: 72rem; margin: 0 auto; padding: 1.25rem 1rem 4rem; }
main.narrow, .narrow { max-width: 28rem; }
h1 { font-size: 1.6rem; line-height: 1.25; margin: .25rem 0 .75rem; }
h2 { font-size: 1.15rem; margin: 2rem 0 .6rem; }
h3 { font-size: 1rem; margin: 1.25rem 0 .4rem; }
p, ul, ol, dl, pre, table { margin: 0 0 1rem; }
.muted, small { color: var(--muted); }
.path { color: var(--muted); margin: 0; }
.text { white-space: pre-wrap; }
ul.plain { list-style: none; padding: 0; }
ul.rows > li { padding: .55rem 0; border-top: 1px solid var(--line); }
ul.rows > li:last-child { border-bottom: 1px solid var(--line); }
dl.fields { display: grid; grid-template-columns: minmax(7rem, max-content) 1fr; gap: .3rem 1.25rem; }
dl.fields dt { color: var(--muted); }
dl.fields dd { margin: 0; }
@media (max-width: 30rem) {
  dl.fields { grid-template-columns: 1fr; gap: 0; }
  dl.fields dd { margin-bottom: .5rem; }
}
.badge { display: inline-block; padding: 0 .55rem; border: 1px solid currentColor; border-radius: 1rem; font-size: .85rem; color: var(--muted); }
.badge.good { color: var(--good); background: var(--good-ground); }
.badge.bad { color: var(--bad); background: var(--bad-ground); }
.badge.warn { color: var(--warn); background: var(--warn-ground); }
.card { border: 1px solid var(--line); border-radius: 6px; padding: .8rem 1rem; margin: 0 0 1rem; }
.card > :last-child { margin-bottom: 0; }
.card header { color: var(--muted); margin-bottom: .5rem; }
.notice { border-left: 4px solid currentColor; padding: .6rem .9rem; margin: 0 0 1rem; }
.notice.bad { color: var(--bad); background: var(--bad-ground); }
.notice.good { color: var(--good); background: var(--good-ground); }
.notice.warn { color: var(--warn); background: var(--warn-ground); }
code, pre, .mono { font-family: var(--mono); font-size: .9em; }
pre { background: var(--raised); border: 1px solid var(--line); border-radius: 6px; padding: .7rem .9rem; overflow-x: auto; overflow-wrap: normal; }
pre.command { white-space: pre-wrap; overflow-wrap: anywhere; user-select: all; }
.scroll { overflow-x: auto; margin: 0 0 1rem; }
table { border-collapse: collapse; min-width: 100%; }
th, td { text-align: left; vertical-align: top; padding: .4rem .75rem .4rem 0; border-bottom: 1px solid var(--line); overflow-wrap: normal; }
th { color: var(--muted); font-weight: 600; white-space: nowrap; }
td.number, th.number { text-align: right; font-variant-numeric: tabular-nums; }
form.stacked { display: grid; gap: .35rem; margin: 0 0 1rem; }
form.stacked button { margin-top: .6rem; justify-self: start; }
form.inline { display: flex; flex-wrap: wrap; align-items: end; gap: .5rem 1rem; margin: 0 0 1rem; }
form.inline label { display: grid; gap: .15rem; }
label { font-weight: 600; }
input, select, textarea { font: inherit; width: 100%; padding: .5rem .6rem; color: var(--text); background: var(--ground); border: 1px solid var(--muted); border-radius: 4px; }
button, .button { font: inherit; font-weight: 600; padding: .5rem 1rem; color: var(--on-button); background: var(--button); border: 1px solid var(--button); border-radius: 4px; cursor: pointer; text-decoration: none; display: inline-block; }
button.plain { color: var(--link); background: none; border: 0; padding: 0; font-weight: 400; text-decoration: underline; }
button.danger { color: var(--bad); background: var(--ground); border-color: currentColor; }
details > summary { cursor: pointer; margin: 0 0 .75rem; }
.diff { font: .85rem/1.45 var(--mono); white-space: pre; overflow-wrap: normal; margin: 0; min-width: max-content; }
.diff .line { display: block; padding: 0 .75rem; min-height: 1.45em; }
.diff .added { background: var(--good-ground); }
.diff .removed { background: var(--bad-ground); }
.diff .hunk { color: var(--muted); background: var(--raised); }
.file { border: 1px solid var(--line); border-radius: 6px; margin: 0 0 1rem; overflow: hidden; }
.file > h3 { margin: 0; padding: .5rem .75rem; background: var(--raised); border-bottom: 1px solid var(--line); font-family: var(--mono); font-size: .9rem; }
.file > p { margin: 0; padding: .6rem .75rem; }
.file > .scroll { margin: 0; }
.sections { border-bottom: 1px solid var(--line); margin: 0 0 1rem; }
.sections ul { display: flex; flex-wrap: wrap; gap: 0 1.25rem; list-style: none; margin: 0; padding: 0; }
.sections a { display: block; padding: .35rem 0; border-bottom: 3px solid transparent; }
.sections a[aria-current] { color: inherit; font-weight: 700; text-decoration: none; border-bottom-color: var(--link); }
strong.bad, p.bad { color: var(--bad); }
.tiles { display: grid; grid-template-columns: repeat(auto-fit, minmax(13rem, 1fr)); gap: 1rem; list-style: none; padding: 0; }
.tile { border: 1px solid var(--line); border-radius: 6px; padding: .8rem 1rem; }
.tile h2 { font-size: 1rem; margin: 0; }
.tile p { margin: 0; }
.tile .figure { font-size: 1.8rem; line-height: 1.4; font-variant-numeric: tabular-nums; }
.charts { display: grid; grid-template-columns: repeat(auto-fit, minmax(min(100%, 22rem), 1fr)); gap: 1.5rem; margin: 0 0 1.5rem; }
.chart { display: grid; grid-template: 1fr 7rem auto / auto 1fr; gap: 0 .5rem; margin: 0; }
.chart figcaption { grid-column: 1 / 3; }
.chart svg { display: block; width: 100%; height: 100%; overflow: visible; background: var(--raised); border-bottom: 1px solid var(--muted); }
.chart path { fill: none; stroke: var(--link); stroke-width: 2px; stroke-linecap: round; vector-effect: non-scaling-stroke; }
.chart path.grid { stroke: var(--line); stroke-width: 1px; }
.chart path.series-2 { stroke: var(--bad); stroke-dasharray: 1 5; }
.legend { display: flex; flex-wrap: wrap; gap: 0 1.25rem; list-style: none; padding: 0; margin: 0 0 .4rem; color: var(--muted); font-size: .9rem; }
.legend li::before { content: ''; display: inline-block; width: 1.5rem; margin-right: .4rem; vertical-align: .25em; border-top: 3px solid var(--link); }
.legend li.series-2::before { border-top: 3px dotted var(--bad); }
.value-axis, .time-axis { display: flex; justify-content: space-between; margin: 0; color: var(--muted); font-size: .85rem; line-height: 1.2; }
.value-axis { flex-direction: column; align-items: end; margin: -.5rem 0; min-width: 4rem; white-space: nowrap; }
.time-axis { grid-column: 2; margin-top: .3rem; }
.pager { display: flex; gap: 1.5rem; margin: 0 0 1rem; }
.help-header { display: flex; flex-wrap: wrap; align-items: center; justify-content: space-between; gap: .5rem 1.5rem; margin: 0 0 1.25rem; }
.help-header form.inline { flex-wrap: nowrap; align-items: center; margin: 0; }
.help-header button { flex: none; }
.help article { min-width: 0; }
.help article img { display: block; max-width: 100%; height: auto; border: 1px solid var(--line); }
.help article :is(h1, h2, h3, h4) { scroll-margin-top: 1rem; }
.help article td { max-width: 34rem; padding-right: 1.25rem; }
.help mark { color: inherit; background: var(--warn-ground); font-weight: 700; }
.chapters { border: 1px solid var(--line); border-radius: 6px; padding: .5rem .9rem; margin: 0 0 1.25rem; font-size: .9rem; }
.chapters summary { font-weight: 600; margin: 0; }
.chapters ul { list-style: none; padding: 0; margin: .4rem 0 .2rem; }
.chapters li { padding: .15rem 0; }
@media (max-width: 64rem) { .chapters ul { max-height: 12rem; overflow-y: auto; } }
@media (min-width: 64.01rem) {
  .with-chapters { display: grid; grid-template-columns: minmax(0, 1fr) 15rem; gap: 2.5rem; align-items: start; }
  .with-chapters .chapters { grid-column: 2; position: sticky; top: 1rem; max-height: calc(100vh - 2rem); overflow-y: auto; }
  .with-chapters article { grid-column: 1; grid-row: 1; }
}
.console th, .console td { padding-right: 1.25rem; }
.console td { max-width: 26rem; }
.console td.number, .console td time { white-space: nowrap; }
.console td button { padding: .15rem .7rem; }
.console form { margin: 0 0 .75rem; }
.console td form { margin: 0; }
.console label input, .console label select { font-weight: normal; }
.console td .long { display: inline-block; min-width: 9rem; overflow-wrap: anywhere; }
@media (max-width: 44rem) {
  .cards, .cards tbody, .cards tr { display: block; }
  .cards thead { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%); }
  .cards tr { border: 1px solid var(--line); border-radius: 6px; padding: .4rem .8rem; margin: 0 0 .75rem; }
  .cards td, .cards td.number { display: grid; grid-template-columns: 6.5rem 1fr; gap: .75rem; white-space: normal; max-width: none; padding: .15rem 0; border: 0; text-align: left; overflow-wrap: anywhere; }
  .cards td time { white-space: normal; }
  .cards td::before { content: attr(data-title); color: var(--muted); }
}
@media (forced-colors: none) { .top a:hover, main a:hover { text-decoration-thickness: 2px; } }
`.trimStart();

/** Changes with the content, so that browsers may keep it for good. */
export const STYLESHEET_VERSION = createHash('sha256')
  .update(STYLESHEET)
  .digest('base64url')
  .slice(0, 16);

export const STYLESHEET_PATH = `/-/assets/${STYLESHEET_VERSION}/pages.css`;
