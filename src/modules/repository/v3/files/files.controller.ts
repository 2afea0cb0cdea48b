import { Body, Delete, Get, Post, Put, Query } from '@nestjs/common';
import type { TreeEntry } from '../../../../git/index.js';
import { V3Controller } from '../../../../faces/index.js';
import {
  Answers,
  AnswersList,
  MayAnswer,
  TakesBody,
  VersionedAnswer,
} from '../../../../platform/http/index.js';
import { CONTENT_BODY } from '../../../../platform/limits/index.js';
import { mapPage, type Page } from '../../../../platform/pagination/index.js';
import {
  Access,
  Caller,
  InProject,
  type ProjectAccess,
  type ProjectRef,
  Requires,
} from '../../../authorization/index.js';
import { User } from '../../../users/index.js';
import { DeleteFileDto, ListTreeDto, ReadFileDto, toFileChange, WriteFileDto } from './file.dto.js';
import { ChangedFileView, FileView, presentFile, TreeEntryView } from './file.view.js';
import { FilesService } from '../../files/files.service.js';

@V3Controller('projects/:id/repository/files', 'Files')
export class FilesController {
  constructor(private readonly files: FilesService) {}

  /** A file of a revision, with its content; of at most 20 MiB. */
  @Get()
  @Requires('code:read')
  @Answers(FileView)
  @MayAnswer(413)
  async read(
    @InProject() project: ProjectRef,
    @Query() { file_path: filePath, ref }: ReadFileDto,
  ): Promise<VersionedAnswer> {
    const { key, make, weigh } = await this.files.find(project, ref, filePath);
    const show = async (): Promise<FileView> => presentFile(await make());
    return new VersionedAnswer(JSON.stringify(key), show, weigh);
  }

  /** Creates a file. */
  @Post()
  @Requires('code:push')
  @TakesBody(CONTENT_BODY)
  @Answers(ChangedFileView)
  @MayAnswer(409)
  async create(
    @Caller() caller: User,
    @Access() access: ProjectAccess,
    @Body() body: WriteFileDto,
  ): Promise<ChangedFileView> {
    await this.files.create(caller, access, toFileChange(body), body);
    return presentChanged(body);
  }

  /** Replaces the content of a file. */
  @Put()
  @Requires('code:push')
  @TakesBody(CONTENT_BODY)
  @Answers(ChangedFileView)
  @MayAnswer(409)
  async update(
    @Caller() caller: User,
    @Access() access: ProjectAccess,
    @Body() body: WriteFileDto,
  ): Promise<ChangedFileView> {
    await this.files.update(caller, access, toFileChange(body), body);
    return presentChanged(body);
  }

  /** Deletes a file. */
  @Delete()
  @Requires('code:push')
  @Answers(ChangedFileView)
  @MayAnswer(409)
  async delete(
    @Caller() caller: User,
    @Access() access: ProjectAccess,
    @Body() body: DeleteFileDto,
  ): Promise<ChangedFileView> {
    await this.files.delete(caller, access, toFileChange(body));
    return presentChanged(body);
  }
}

@V3Controller('projects/:id/repository/tree', 'Tree')
export class TreeController {
  constructor(private readonly files: FilesService) {}

  /** The entries of a folder: folders first, then files, then submodules. */
  @Get()
  @Requires('code:read')
  @AnswersList(TreeEntryView)
  @MayAnswer(413)
  async list(
    @InProject() project: ProjectRef,
    @Query() query: ListTreeDto,
  ): Promise<VersionedAnswer> {
    const { ref_name: refName, path, recursive = false } = query;
    const { key, make, weigh } = await this.files.listFolder(
      project,
      { refName, path, recursive, mayBeMissing: true },
      query,
    );
    const show = async (): Promise<Page<TreeEntryView>> => mapPage(await make(), presentTreeEntry);
    return new VersionedAnswer(JSON.stringify(key), show, weigh);
  }
}

function presentChanged({ file_path, branch_name }: DeleteFileDto): ChangedFileView {
  return { file_path, branch_name };
}

function presentTreeEntry({ oid, name, type, path, mode }: TreeEntry): TreeEntryView {
  return { id: oid, name, type, path, mode };
}
