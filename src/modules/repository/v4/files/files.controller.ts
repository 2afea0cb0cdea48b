import { Body, Delete, Get, Param, Post, Put, Query } from '@nestjs/common';
import { V4Controller } from '../../../../faces/index.js';
import {
  Answers,
  AnswersList,
  AnswersNothing,
  MayAnswer,
  Serialized,
  TakesBody,
  VersionedAnswer,
} from '../../../../platform/http/index.js';
import { CONTENT_BODY } from '../../../../platform/limits/index.js';
import { mapPage } from '../../../../platform/pagination/index.js';
import {
  Access,
  Caller,
  InProject,
  type ProjectAccess,
  type ProjectRef,
  Requires,
} from '../../../authorization/index.js';
import { User } from '../../../users/index.js';
import { FilesService } from '../../files/files.service.js';
import {
  toFilePath,
  toV4FileChange,
  V4DeleteFileDto,
  V4ListTreeDto,
  V4ReadFileDto,
  V4WriteFileDto,
} from './file.dto.js';
import {
  fileHeaders,
  presentV4File,
  presentV4TreeEntry,
  V4ChangedFileView,
  V4FileView,
  V4TreeEntryView,
} from './file.view.js';

@V4Controller('projects/:id/repository/files', 'Files')
export class V4FilesController {
  constructor(private readonly files: FilesService) {}

  /** A file of a revision, with its content; of at most 20 MiB. `HEAD` answers the same in headers alone. */
  @Get(':file_path')
  @Requires('code:read')
  @Answers(V4FileView)
  @MayAnswer(413)
  async read(
    @InProject() project: ProjectRef,
    @Param('file_path') filePath: string,
    @Query() { ref }: V4ReadFileDto,
  ): Promise<VersionedAnswer> {
    const { key, make } = await this.files.find(project, ref, toFilePath(filePath));
    return new VersionedAnswer(JSON.stringify(key), async () => {
      const file = await make();
      const view = presentV4File(file);
      const headers = fileHeaders(file, view.size, view.content_sha256);
      // As bytes: node would encode headers like a body that is a text, once more as UTF-8.
      return new Serialized(Buffer.from(JSON.stringify(view)), undefined, headers);
    });
  }

  /** Creates a file. */
  @Post(':file_path')
  @Requires('code:push')
  @TakesBody(CONTENT_BODY)
  @Answers(V4ChangedFileView)
  @MayAnswer(409)
  async create(
    @Caller() caller: User,
    @Access() access: ProjectAccess,
    @Param('file_path') filePath: string,
    @Body() body: V4WriteFileDto,
  ): Promise<V4ChangedFileView> {
    await this.files.create(caller, access, toV4FileChange(filePath, body), contentOf(body));
    return { file_path: filePath, branch: body.branch };
  }

  /** Replaces the content of a file. */
  @Put(':file_path')
  @Requires('code:push')
  @TakesBody(CONTENT_BODY)
  @Answers(V4ChangedFileView)
  @MayAnswer(409)
  async update(
    @Caller() caller: User,
    @Access() access: ProjectAccess,
    @Param('file_path') filePath: string,
    @Body() body: V4WriteFileDto,
  ): Promise<V4ChangedFileView> {
    await this.files.update(caller, access, toV4FileChange(filePath, body), contentOf(body));
    return { file_path: filePath, branch: body.branch };
  }

  /** Deletes a file. */
  @Delete(':file_path')
  @Requires('code:push')
  @AnswersNothing()
  @MayAnswer(409)
  async delete(
    @Caller() caller: User,
    @Access() access: ProjectAccess,
    @Param('file_path') filePath: string,
    @Body() body: V4DeleteFileDto,
  ): Promise<void> {
    await this.files.delete(caller, access, toV4FileChange(filePath, body));
  }
}

@V4Controller('projects/:id/repository/tree', 'Tree')
export class V4TreeController {
  constructor(private readonly files: FilesService) {}

  /** The entries of a folder: folders first, then files, then submodules. */
  @Get()
  @Requires('code:read')
  @AnswersList(V4TreeEntryView)
  @MayAnswer(413)
  async list(
    @InProject() project: ProjectRef,
    @Query() query: V4ListTreeDto,
  ): Promise<VersionedAnswer> {
    const { ref: refName, path, recursive } = query;
    const folder = { refName, path, recursive, mayBeMissing: false };
    const { key, make } = await this.files.listFolder(project, folder, query);
    return new VersionedAnswer(JSON.stringify(key), async () =>
      mapPage(await make(), presentV4TreeEntry),
    );
  }
}

function contentOf({ content, encoding, execute_filemode: executable }: V4WriteFileDto) {
  return { content, encoding, executable };
}
