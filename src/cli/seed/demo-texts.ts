import type { DemoHistory } from './demo-history.js';

/** How much there is in a demo project. */
export interface DemoSize {
  readonly commits: number;
  readonly issues: number;
}

export const DEMO_SIZES = {
  small: { commits: 12, issues: 6 },
  medium: { commits: 60, issues: 25 },
  large: { commits: 1_000, issues: 500 },
} as const satisfies Record<string, DemoSize>;

/** The accounts, with their levels in the groups. */
export const DEMO_USERS = [
  ['demo-owner', 50],
  ['demo-master', 40],
  ['demo-developer', 30],
  ['demo-reporter', 20],
  ['demo-guest', 10],
] as const;

export type DemoUser = (typeof DEMO_USERS)[number][0];

interface DemoProject extends Omit<DemoHistory, 'commits'> {
  readonly group: string;
  readonly path: string;
}

export const DEMO_PROJECTS: readonly DemoProject[] = [
  { group: 'demo-apps', path: 'website', title: 'Website', parts: ['header', 'search', 'footer'] },
  { group: 'demo-apps', path: 'service', title: 'Service', parts: ['router', 'storage', 'jobs'] },
  { group: 'demo-libs', path: 'text-tools', title: 'Text tools', parts: ['split', 'join', 'trim'] },
];

export const DEMO_LABELS = [
  ['bug', '#d9534f', 'Something does not work'],
  ['feature', '#428bca', 'Something new'],
  ['documentation', '#5cb85c', null],
  ['performance', '#f0ad4e', null],
] as const;

export const DEMO_ISSUES = [
  ['The page is empty without JavaScript', 'bug'],
  ['Search in titles, too', 'feature'],
  ['Say in the readme how to install it', 'documentation'],
  ['Lists of thousands take seconds', 'performance'],
  ['Wrong order of names with umlauts', 'bug'],
  ['Export as CSV', 'feature'],
] as const;

export const DEMO_NOTES = [
  'I can see that here, too.',
  'That is by design, but the text could say so.',
  ':+1: This would help us a lot.',
  '@demo-developer could you have a look?',
];
