import { presentRefCommit } from '../commits/commit.presenter.js';
import type { TagView } from './tag.view.js';
import type { Tag } from './tags.service.js';

export function presentTag({ name, message, commit, release }: Tag): TagView {
  return {
    name,
    message,
    commit: commit === null ? null : presentRefCommit(commit),
    release: release === null ? null : { tag_name: name, description: release },
  };
}
