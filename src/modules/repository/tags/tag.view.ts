import { RefCommitView } from '../commits/commit.view.js';

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
