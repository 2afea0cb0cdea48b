import { Body, Delete, Get, Param, Post, Put, Query } from '@nestjs/common';
import { V4Controller } from '../../../../faces/index.js';
import {
  type ApiFace,
  Answers,
  AnswersAll,
  AnswersList,
  AnswersNothing,
  MayAnswer,
  Serialized,
  TakesBody,
  VersionedAnswer,
} from '../../../../platform/http/index.js';
import { ANSWER_BYTES, CONTENT_BODY } from '../../../../platform/limits/index.js';
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
import { BlameService } from '../../files/blame.service.js';
import { FilesService } from '../../files/files.service.js';
import { AnswerCache } from '../../shared/answer-cache.js';
import { followedByToken, toKeysetRequest } from '../keyset.dto.js';
import { presentBlame, V4BlameRangeView } from './blame.view.js';
import {
  toFilePath,
  toLineRange,
  toV4FileChange,
  V4BlameFileDto,
  V4DeleteFileDto,
  V4ListTreeDto,
  V4ReadFileDto,
  V4WriteFileDto,
} from './file.dto.js';
import {
  digestOf,
  fileHeaders,
  presentV4File,
  presentV4TreeEntry,
  V4ChangedFileView,
  V4FileView,
  V4TreeEntryView,
} from './file.view.js';

@V4Controller('projects/:id/repository/files', 'Files')
export class V4FilesController {
  constructor(
    private readonly files: FilesService,
    private readonly blames: BlameService,
    private readonly answers: AnswerCache,
  ) {}

  /** A file of a revision, with its content; of at most 20 MiB. `HEAD` answers the same in headers alone. */
  @Get(':file_path')
  @Requires('code:browse')
  @Answers(V4FileView)
  @MayAnswer(413)
  async read(
    @InProject() project: ProjectRef,
    @Param('file_path') filePath: string,
    @Query() { ref }: V4ReadFileDto,
  ): Promise<VersionedAnswer> {
    const { key, make, weigh } = await this.files.find(project, ref, toFilePath(filePath));
    const show = async (): Promise<Serialized> => {
      const file = await make();
      const view = presentV4File(file);
      const headers = fileHeaders(file, view.size, view.content_sha256);
      // As bytes: node would encode headers like a body that is a text, once more as UTF-8.
      return new Serialized(Buffer.from(JSON.stringify(view)), undefined, headers);
    };
    return new VersionedAnswer(JSON.stringify(key), show, weigh);
  }

  /**
   * The lines of a file of a revision, with the commits that brought them; of a file of at most 4 MiB, and at most 100,000 lines.
   * `HEAD` answers the headers of the file.
   */
  @Get(':file_path/blame')
  @Requires('code:browse')
  @AnswersAll(V4BlameRangeView)
  @MayAnswer(413)
  async blame(
    @InProject() project: ProjectRef,
    @Param('file_path') filePath: string,
    @Query() query: V4BlameFileDto,
  ): Promise<VersionedAnswer> {
    const range = toLineRange(query);
    const found = await this.files.find(project, query.ref, toFilePath(filePath));
    const key = ['blame', found.key, range] as const;
    const show = async (face: ApiFace): Promise<Serialized> => {
      const file = await found.make();
      const make = () => this.blames.attribute(project, file, range);
      const answer = await this.answers.answer(face, { key, make }, (groups) =>
        groups.map(presentBlame),
      );
      const { content } = file;
      const headers = fileHeaders(file, content.length, digestOf(content));
      return new Serialized(answer.json, undefined, headers);
    };
    const weigh = async () => ANSWER_BYTES.difference + ((await found.weigh?.()) ?? 0);
    return new VersionedAnswer(JSON.stringify(key), show, weigh);
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
  @Requires('code:browse')
  @AnswersList(V4TreeEntryView)
  @MayAnswer(413, 422)
  async list(
    @InProject() project: ProjectRef,
    @Query() query: V4ListTreeDto,
  ): Promise<VersionedAnswer> {
    const { ref: refName, path, recursive, pagination } = query;
    const { request, after } = toKeysetRequest(query);
    const folder = { refName, path, recursive, mayBeMissing: false, after };
    const { key, make, weigh } = await this.files.listFolder(project, folder, request);
    const show = async (): Promise<Page<V4TreeEntryView>> =>
      mapPage(
        followedByToken(await make(), query, (entry) => entry.path),
        presentV4TreeEntry,
      );
    return new VersionedAnswer(JSON.stringify([pagination, key]), show, weigh);
  }
}

function contentOf({ content, encoding, execute_filemode: executable }: V4WriteFileDto) {
  return { content, encoding, executable };
}
