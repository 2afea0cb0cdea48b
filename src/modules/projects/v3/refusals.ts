import { V3 } from '../../../faces/index.js';
import { provideAnswers, withError, withMessage } from '../../../platform/http/index.js';
import type { TransferProblem } from '../model/refusals.js';

const TRANSFER_REFUSED: Readonly<Record<TransferProblem, string>> = {
  'name-taken': 'Project with same name in target namespace already exists',
  'not-permitted': "You don't have permission to transfer projects into that namespace.",
  'path-taken': 'Project with same path in target namespace already exists',
  'same-group': 'is invalid',
};

function limitText(limit: number): string {
  return limit === 0
    ? 'Personal project creation is not allowed. Please contact your administrator with questions'
    : `Your project limit is ${String(limit)} projects! Please contact your administrator to increase it`;
}

/** What the room refuses, in the words of version 3 (docs/reference/errors.md). */
export const projectsAnswers = provideAnswers(V3, 'projects', {
  refusals: {
    'already-forked': () => withMessage(409, 'Project already forked'),
    'fork-name-taken': ({ fields }) =>
      withMessage(
        409,
        Object.fromEntries(fields.map((field) => [field, ['has already been taken']])),
      ),
    'project-limit-reached': ({ limit, isCallers }) =>
      isCallers
        ? withError(403, [limitText(limit)])
        : withMessage(400, { limit_reached: [limitText(limit)] }),
    'transfer-refused': ({ reason }) => {
      const messages = JSON.stringify({ new_namespace: [TRANSFER_REFUSED[reason]] });
      return withMessage(400, `Failed to transfer project ${messages}`);
    },
  },
  resources: {
    'deploy-key': 'Deploy Key',
    'target-namespace': 'Target Namespace',
    topic: 'Topic',
  },
  rules: {
    'above-group': ({ value, limit }) =>
      `${String(value)} is not allowed in a ${String(limit)} group.`,
    'above-source': ({ value }) =>
      `${String(value)} is not allowed since the fork source project has lower visibility.`,
    'no-namespace': 'is not valid',
    'not-an-import-address': 'is not a valid URL',
    'project-name-form':
      "can contain only letters, digits, emojis, '_', '.', dash, space. It must start with letter, digit, emoji or '_'.",
    'project-path-form':
      "can contain only letters, digits, '_', '-' and '.'. Cannot start with '-', end in '.git' or end in '.atom'",
    'repository-not-empty': 'is not allowed unless the repository is empty',
  },
});
