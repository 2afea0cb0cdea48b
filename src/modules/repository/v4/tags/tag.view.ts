import { V4CommitView } from '../commits/commit.view.js';

/** The release notes of a tag. */
export class V4TagReleaseView {
  tag_name!: string;
  description!: string;
}

/** A tag. */
export class V4TagView {
  name!: string;
  /** `""` for a lightweight tag. */
  message!: string;
  /** The hash of what it marks; of an annotated tag that of the tag object. */
  target!: string;
  /** Null for a tag that marks no commit. */
  commit!: V4CommitView | null;
  release!: V4TagReleaseView | null;
  /** Always false: tags are not protected. */
  protected!: boolean;
  /** Of an annotated tag; null for a lightweight one. */
  created_at!: string | null;
}
