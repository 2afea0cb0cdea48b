import { Injectable } from '@nestjs/common';
import { FileMode, type NewObjects, type TreeEditor } from '../../../git/index.js';
import { ruleViolated } from '../../../platform/errors/index.js';
import type { ProjectAccess } from '../../access/index.js';
import type { User } from '../../users/index.js';
import type { GivenAuthor } from '../writes/commit-author.js';
import { CommitMaker, type FilesToChange } from '../writes/commit-maker.js';
import { type ContentEncoding, decodeContent } from '../writes/file-action.js';
import { pathRefusal, withoutLeadingSlash } from '../writes/file-paths.js';
import { PushRights } from '../writes/push-rights.js';

export interface FileTerms {
  path: string;
  branch: string;
  message: string;
  author: GivenAuthor;
}

export interface FileContent {
  content: string;
  encoding: ContentEncoding;
}

/** Changes single files, each by a commit of its own (docs/reference/files.md#writing-a-file). */
@Injectable()
export class FileWrites {
  constructor(
    private readonly commits: CommitMaker,
    private readonly rights: PushRights,
  ) {}

  /** @throws DomainError rule violated, forbidden, conflict */
  create(caller: User, access: ProjectAccess, terms: FileTerms, file: FileContent): Promise<void> {
    return this.change(caller, access, terms, async ({ editor, objects }, path) => {
      if ((await editor.obstacle(path)) !== null) throw ruleViolated(EXISTS);
      await editor.put(path, { mode: FileMode.FILE, oid: blobOf(file, objects) });
    });
  }

  /** The file's mode stays. @throws DomainError rule violated, forbidden, conflict */
  update(caller: User, access: ProjectAccess, terms: FileTerms, file: FileContent): Promise<void> {
    return this.change(caller, access, terms, async ({ editor, objects }, path) => {
      const mode = await modeOf(path, editor);
      await editor.put(path, { mode, oid: blobOf(file, objects) });
    });
  }

  /** @throws DomainError rule violated, forbidden, conflict */
  delete(caller: User, access: ProjectAccess, terms: FileTerms): Promise<void> {
    return this.change(caller, access, terms, async ({ editor }, path) => {
      await modeOf(path, editor);
      await editor.remove(path);
    });
  }

  private async change(
    caller: User,
    access: ProjectAccess,
    terms: FileTerms,
    make: (files: FilesToChange, path: string) => Promise<void>,
  ): Promise<void> {
    await this.rights.require(access, terms.branch);
    const path = withoutLeadingSlash(terms.path);
    await this.commits.make(caller, access, terms, async (files) => {
      const refusal = pathRefusal(path);
      if (refusal !== null) throw refusal;
      await make(files, path);
    });
  }
}

const EXISTS =
  'Your changes could not be committed because a file with the same name already exists';

function blobOf({ content, encoding }: FileContent, objects: NewObjects): string {
  const bytes = decodeContent(content, encoding);
  if (bytes === null) throw ruleViolated('content is not valid base64');
  return objects.blob(bytes);
}

async function modeOf(path: string, editor: TreeEditor): Promise<string> {
  const entry = await editor.find(path);
  const isFile =
    entry !== null && entry.mode !== FileMode.TREE && entry.mode !== FileMode.SUBMODULE;
  if (!isFile) throw ruleViolated('File not found');
  return entry.mode;
}
