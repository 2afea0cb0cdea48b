// Every attack: `name`, `about` (one line), `sample` (the parameters of the known defect), `vary` (the
// parameters of a generated variation), `prepare` (what has to exist before), `run` (the attack), and
// `limitMs` where it takes longer than most.
import { BODIES } from './bodies.mjs';
import { COMPARISONS } from './comparisons.mjs';
import { CREDENTIALS } from './credentials.mjs';
import { HOOKS } from './hooks.mjs';
import { OBJECTS } from './objects.mjs';
import { SSH } from './ssh.mjs';
import { STREAMS } from './streams.mjs';
import { TEXTS } from './texts.mjs';
import { VALUES_AND_LISTS } from './values.mjs';

export const ATTACKS = [
  ...BODIES,
  ...TEXTS,
  ...OBJECTS,
  ...COMPARISONS,
  ...STREAMS,
  ...SSH,
  ...CREDENTIALS,
  ...VALUES_AND_LISTS,
  ...HOOKS,
];
