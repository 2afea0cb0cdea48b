import type { ForkLink } from '../../model/project-links.entity.js';

/**
 * The relation of a fork to its source
 * (docs/reference/projects.md#post-projectsidforkforked_from_id).
 */
export class ForkRelationView {
  id!: number;
  forked_to_project_id!: number;
  forked_from_project_id!: number;
  created_at!: Date;
  updated_at!: Date;
}

export function presentForkRelation(link: ForkLink): ForkRelationView {
  return {
    id: link.id,
    forked_to_project_id: link.forkedToProjectId,
    forked_from_project_id: link.forkedFromProjectId,
    created_at: link.createdAt,
    updated_at: link.updatedAt,
  };
}
