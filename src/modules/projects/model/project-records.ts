import type { AuditRecord } from '../../audit/index.js';
import { visibilityName } from '../../settings/index.js';

// What the audit log says about projects.

type OnProject = Pick<AuditRecord, 'target' | 'projectId'>;

export const onProject = (id: number, fullPath: string): OnProject => ({
  target: { type: 'project', id, name: fullPath },
  projectId: id,
});

export const visibilityChanged = (target: OnProject, from: number, to: number): AuditRecord => ({
  action: 'project.visibility_changed',
  ...target,
  details: { from: visibilityName(from), to: visibilityName(to) },
});
