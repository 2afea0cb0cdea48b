import type { AuditRecord } from '../../audit/index.js';
import type { Visibility } from '../../authorization/index.js';

// What the audit log says about projects.

type OnProject = Pick<AuditRecord, 'target' | 'projectId'>;

export const onProject = (id: number, fullPath: string): OnProject => ({
  target: { type: 'project', id, name: fullPath },
  projectId: id,
});

export const visibilityChanged = (
  target: OnProject,
  from: Visibility,
  to: Visibility,
): AuditRecord => ({
  action: 'project.visibility_changed',
  ...target,
  details: { from, to },
});
