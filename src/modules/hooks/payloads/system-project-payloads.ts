import { Injectable } from '@nestjs/common';
import { Database } from '../../../platform/database/index.js';
import type { ProjectMoved } from '../../projects/index.js';
import { visibilityName } from '../../settings/index.js';

/** A project with whom it belongs to. */
interface OwnedProject {
  id: number;
  name: string;
  path: string;
  fullPath: string;
  namespaceId: number;
  visibilityLevel: number;
  createdAt: Date;
  updatedAt: Date;
  /** The group's name, or the full name of the personal namespace's owner. */
  ownerName: string;
  /** Empty for groups. */
  ownerEmail: string;
}

const PROJECTS = `
  SELECT p.id, p.name, p.path, n.path || '/' || p.path AS "fullPath",
         p.namespace_id AS "namespaceId", p.visibility_level AS "visibilityLevel",
         p.created_at AS "createdAt", p.updated_at AS "updatedAt",
         coalesce(u.name, n.name) AS "ownerName", coalesce(u.email, '') AS "ownerEmail"
    FROM projects p
    JOIN namespaces n ON n.id = p.namespace_id
    LEFT JOIN users u ON u.id = n.owner_id
   WHERE p.id = ANY($1::int[]) ORDER BY p.id`;

/** Tells the hooks of the instance of projects (open points 7.10). */
@Injectable()
export class SystemProjectPayloads {
  constructor(private readonly database: Database) {}

  /** One payload for each project, also for those just removed. */
  async of(event: string, ids: readonly number[]): Promise<object[]> {
    return (await this.find(ids)).map((project) => payload(event, project));
  }

  /** A project elsewhere than before. */
  async moved({ projectId, from }: ProjectMoved): Promise<object | null> {
    const [project] = await this.find([projectId]);
    const [before] = await this.database.rows<{ path: string }>(
      'SELECT path FROM namespaces WHERE id = $1',
      [from.namespaceId],
    );
    if (project === undefined || before === undefined) return null;
    const event = project.namespaceId === from.namespaceId ? 'project_rename' : 'project_transfer';
    const old_path_with_namespace = `${before.path}/${from.path}`;
    return { ...payload(event, project), old_path_with_namespace };
  }

  private find(ids: readonly number[]): Promise<OwnedProject[]> {
    return this.database.rows<OwnedProject>(PROJECTS, [ids]);
  }
}

const payload = (event: string, project: OwnedProject): object => ({
  event_name: event,
  created_at: project.createdAt,
  updated_at: project.updatedAt,
  name: project.name,
  path: project.path,
  path_with_namespace: project.fullPath,
  project_id: project.id,
  owner_name: project.ownerName,
  owner_email: project.ownerEmail,
  project_visibility: visibilityName(project.visibilityLevel),
});
