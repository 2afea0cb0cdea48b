// What came of an attack, held against the goals, and how it is shown.
import {
  coreWaitBetween,
  longestSilence,
  NEW,
  percentile,
  probeFailures,
  stalledBetween,
} from './figures.mjs';

const MB = 1_000_000;

export const GOALS = { silenceMs: 500, p99Ms: 100, apiMb: 600, gitMb: 1_000 };
/** On a machine that does other work as well, beyond what its baseline shows. */
const LOADED = { silenceMs: 2_000, p99Ms: 1_000, apiMb: 600, gitMb: 1_000 };
const BASELINE_FACTOR = 4;

/** Goals for a machine that is busy with other things; the probe's latency counts by the baseline. */
export function loosened({ silence, p99Ms }) {
  return {
    ...LOADED,
    silenceMs: LOADED.silenceMs + BASELINE_FACTOR * silence.ms,
    p99Ms: LOADED.p99Ms + BASELINE_FACTOR * p99Ms,
  };
}

/** The figures of one measurement; `records` as the probe and the match answer them. */
export function figures(records) {
  if (records.records === undefined) return undefined;
  const silence = longestSilence(records);
  const { from, to } = silence;
  // Both may pass at the same time, and samples are wider than a request.
  const waitedMs = (begin, end) => {
    const waits = [stalledBetween, coreWaitBetween].map((between) => between(records, begin, end));
    return Math.min(end - begin, Math.max(...waits));
  };
  return {
    silence,
    /** Time within the silence in which the probe itself did not run. */
    stalledMs: stalledBetween(records, from, to),
    coreWaitMs: coreWaitBetween(records, from, to),
    p99Ms: percentileOfHealth(records),
    /** Without the time in which the probe did not run or the api waited for a core. */
    p99WithoutWaitsMs: percentileOfHealth(records, waitedMs),
    apiMb: records.peaks.apiBytes / MB,
    gitMb: records.peaks.childBytes / MB,
    children: records.peaks.children,
    refused: probeFailures(records),
  };
}

/** The worse one: of the connections that are kept, or of new ones. */
function percentileOfHealth(records, excludedMs) {
  const kinds = ['healthz', `${NEW}healthz`];
  return Math.max(...kinds.map((kind) => percentile(records, kind, 0.99, excludedMs)));
}

/**
 * What an attack shows that is beyond the goals.
 * @param isLoaded time in which the api waited for a core does not count as silence either
 */
export function misses({ figures: found, answers, defects = [], failure }, goals, isLoaded) {
  const unclear = answers.filter(([, { isClear }]) => !isClear).map(([text]) => text);
  const missed = [
    ...(failure === undefined ? [] : [failure.split('\n', 1)[0]]),
    ...(unclear.length === 0 ? [] : [`no clear answer: ${unclear.join(', ')}`]),
    ...defects.map((text) => `logged: ${text}`),
  ];
  if (found === undefined) return missed;
  const { silence, stalledMs, coreWaitMs, apiMb, gitMb } = found;
  const silentMs = silence.ms - stalledMs - (isLoaded ? coreWaitMs : 0);
  if (silentMs > goals.silenceMs) missed.push(`${silence.kind} is silent`);
  const p99Ms = isLoaded ? found.p99WithoutWaitsMs : found.p99Ms;
  if (p99Ms > goals.p99Ms) missed.push(`p99 of ${p99Ms.toFixed(0)} ms`);
  if (apiMb > goals.apiMb) missed.push('memory of the api');
  if (gitMb > goals.gitMb) missed.push('memory of git');
  return missed;
}

const ERROR_LEVEL = 50;
const SHOWN_CHARACTERS = 200;

/**
 * Finds what the service has logged as its own fault: requests that it answered with 500, whoever sent them, and other errors.
 * Requests that it refuses with 503 are errors in the log as well.
 * @param lines of the log
 * @returns each text once
 */
export function defectsIn(lines) {
  const found = new Set();
  for (const line of lines) {
    const entry = parsed(line);
    if (!(entry?.level >= ERROR_LEVEL)) continue;
    const { msg, res, req, err } = entry;
    if (res !== undefined && res.statusCode !== 500) continue;
    const what = req === undefined ? msg : `500 on ${req.method} ${req.url}`;
    found.add(
      `${what} ${err?.message ?? ''}`.trim().replace(/\s+/g, ' ').slice(0, SHOWN_CHARACTERS),
    );
  }
  return [...found];
}

/** Null for what is no line of the service's log, such as the notice of the first administrator. */
function parsed(line) {
  try {
    return JSON.parse(line);
  } catch {
    return null;
  }
}

const COLUMNS = [
  ['attack', 34],
  ['silence ms', 11],
  ['(stall', 7],
  ['core)', 6],
  ['p99 ms', 7],
  ['api MB', 7],
  ['git MB', 7],
  ['n', 4],
];

export function header() {
  return `${COLUMNS.map(([name, width], i) => pad(name, width, i)).join('')}  answers; verdict`;
}

export function row({ name, figures: found, answers, missed }) {
  const cells =
    found === undefined
      ? ['', '', '', '', '', '', '']
      : [
          ...[found.silence.ms, found.stalledMs, found.coreWaitMs, found.p99Ms, found.apiMb],
          ...[found.gitMb, found.children],
        ].map((value) => value.toFixed(0));
  const line = [name, ...cells].map((cell, i) => pad(cell, COLUMNS[i][1], i)).join('');
  const refused = Object.entries(found?.refused ?? {}).map(([what, n]) => `${what} ×${n}`);
  return [
    `${line}  ${tally(answers)}`,
    ...(refused.length === 0 ? [] : [`    the probe got: ${refused.join(', ')}`]),
    ...(missed.length === 0 ? [] : [`    MISSED: ${missed.join('; ')}`]),
  ].join('\n');
}

function tally(answers) {
  if (answers.length === 0) return 'nothing';
  return answers.map(([text, { count }]) => (count === 1 ? text : `${text} ×${count}`)).join(', ');
}

const pad = (text, width, index) => (index === 0 ? text.padEnd(width) : text.padStart(width));
