import { presentRefCommit, RefCommitView } from '../commits/commit.view.js';
import type { Tag } from '../../tags/tags.service.js';

/** The release notes of a tag. */
export class ReleaseView {
  tag_name!: string;
  description!: string;
}

/** A tag (docs/reference/tags.md#the-tag-object). */
export class TagView {
  name!: string;
  /** Null for a lightweight tag. */
  message!: string | null;
  /** Null for a tag that marks no commit. */
  commit!: RefCommitView | null;
  release!: ReleaseView | null;
}

/** A tag that was deleted (docs/reference/tags.md#delete-projectsidrepositorytagstag_name). */
export class DeletedTagView {
  tag_name!: string;
}

export function presentTag({ name, message, commit, release }: Tag): TagView {
  return {
    name,
    message,
    commit: commit === null ? null : presentRefCommit(commit),
    release: release === null ? null : { tag_name: name, description: release },
  };
}
