import { Body, Controller, Delete, Post, Put } from '@nestjs/common';
import { Answers, MayAnswer, TakesBody } from '../../../platform/http/index.js';
import { CONTENT_BODY } from '../../../platform/limits/index.js';
import { Access, Caller, type ProjectAccess, Requires } from '../../access/index.js';
import { User } from '../../users/index.js';
import { ChangedFileView } from './changed-file.view.js';
import { DeleteFileDto, toFileTerms, WriteFileDto } from './dto/write-file.dto.js';
import { FileWrites } from './file-writes.js';

@Controller('projects/:id/repository/files')
export class FileWritesController {
  constructor(private readonly files: FileWrites) {}

  /** Adds a file. */
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
    await this.files.create(caller, access, toFileTerms(body), body);
    return present(body);
  }

  /** Replaces what a file contains. */
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
    await this.files.update(caller, access, toFileTerms(body), body);
    return present(body);
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
    await this.files.delete(caller, access, toFileTerms(body));
    return present(body);
  }
}

function present({ file_path, branch_name }: DeleteFileDto): ChangedFileView {
  return { file_path, branch_name };
}
