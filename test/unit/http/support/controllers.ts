import { Readable } from 'node:stream';
import {
  Body,
  Controller,
  Delete,
  Get,
  HttpException,
  Param,
  Post,
  Put,
  Query,
  Req,
  Res,
  StreamableFile,
} from '@nestjs/common';
import type { Request, Response } from 'express';
import { V3Controller } from '../../../../src/faces/index.js';
import { conflict, notFound, notModified } from '../../../../src/platform/errors/index.js';
import {
  Answers,
  AnswersList,
  AnswersNothing,
  ApiProperty,
  AtLeastOneOf,
  BooleanParam,
  EmptyWhenAbsent,
  FixedStatus,
  IdParam,
  IntegerListParam,
  PageQuery,
  PathIds,
  rawParameters,
  readCredential,
  ReceivedFile,
  restOfPath,
  Serialized,
  VersionedAnswer,
  StringParam,
} from '../../../../src/platform/http/index.js';
import { Page } from '../../../../src/platform/pagination/index.js';

export class CreateThing {
  @StringParam({ required: true })
  title!: string;

  @StringParam({ aliases: ['skype'] })
  messenger?: string;

  @IdParam({ nullable: true, zeroClears: true })
  assignee_id?: number | null;

  @BooleanParam()
  public?: boolean;
}

@AtLeastOneOf()
export class UpdateThing {
  @StringParam({ blank: 'refused' })
  title?: string;

  @StringParam({ nullable: true })
  description?: string | null;
}

export class ListThings extends PageQuery {
  @IntegerListParam()
  iid?: number[];

  @StringParam()
  state?: string;
}

export class ThingView {
  @ApiProperty()
  id!: number;
}

@V3Controller('things', 'Things')
export class ThingsController {
  @Get()
  @AnswersList(ThingView)
  list(@Query() query: ListThings): Page<{ id: number }> {
    const all = Array.from({ length: 45 }, (_, index) => ({ id: index + 1 }));
    return Page.of(all, query);
  }

  @Post()
  @Answers(ThingView)
  create(@Body() input: CreateThing): object {
    return { ...input };
  }

  @Put(':id')
  update(@Param('id') id: string, @Body() input: UpdateThing): object {
    return { id, ...input };
  }

  @Delete(':id')
  @EmptyWhenAbsent()
  @AnswersNothing()
  remove(): null {
    return null;
  }

  @Get(':id/issues/:issue_id')
  issue(@Param('id') id: string, @Param('issue_id') issueId: number): object {
    return { id, issueId };
  }

  @Get(':id/branches/*branch')
  branch(@Param('id') id: string, @Param('branch') branch: string | string[]): object {
    return { id, branch: restOfPath(branch) };
  }

  @Post(':id/star')
  star(): object {
    throw notModified();
  }

  @Get(':id')
  read(@Param('id') id: string): object {
    return { id };
  }
}

@V3Controller('people', 'People')
export class PeopleController {
  @Get(':id')
  @PathIds({ id: 'no route' })
  read(@Param('id') id: number): object {
    return { id };
  }

  @Post(':id/keys')
  @FixedStatus(201)
  addKey(): object {
    return { id: 1 };
  }

  @Delete(':id/share')
  @FixedStatus(204)
  unshare(): undefined {
    return undefined;
  }
}

@V3Controller('odd', 'Odd')
export class OddController {
  private made = 0;

  @Get('true')
  yes(): boolean {
    return true;
  }

  @Get('number')
  number(): number {
    return 7;
  }

  @Get('text')
  text(): string {
    return 'a "text"';
  }

  @Get('nothing')
  nothing(): null {
    return null;
  }

  @Get('serialized')
  serialized(): Serialized {
    return new Serialized(Buffer.from('{"a":"ä"}'));
  }

  @Get('serialized-page')
  serializedPage(@Query() query: PageQuery): Serialized {
    const { page, perPage } = query;
    return new Serialized('["ä"]', { total: 3, page, perPage, hasNext: true, firstPage: 1 });
  }

  @Get('versioned')
  versioned(@Query('version') version: string): VersionedAnswer {
    return new VersionedAnswer(version, () => Promise.resolve({ made: (this.made += 1) }));
  }

  @Get('versioned-refusal')
  versionedRefusal(): VersionedAnswer {
    return new VersionedAnswer('1', () => Promise.reject(notFound('project')));
  }

  @Get('foreign')
  foreign(): never {
    throw new RangeError('of another library');
  }

  @Get('stream')
  stream(): StreamableFile {
    return new StreamableFile(Buffer.from([0, 1, 2]));
  }

  @Get('own')
  own(@Res() response: Response): void {
    response.status(202).type('text/plain').send('own');
  }

  @Get('missing')
  missing(): never {
    throw notFound('project');
  }

  @Get('broken')
  broken(): never {
    throw new Error('the secret reason');
  }

  @Get('nest')
  nest(): never {
    throw new HttpException('teapot', 418);
  }

  @Get('store')
  store(): never {
    throw Object.assign(new Error('connect'), { code: 'ECONNREFUSED' });
  }

  @Get('half')
  half(@Res() response: Response): never {
    response.status(200).write('half');
    throw conflict();
  }

  @Post('echo')
  @FixedStatus(200)
  echo(@Req() request: Request): object {
    return { ...rawParameters(request) };
  }

  @Get('echo')
  echoOfGet(@Req() request: Request): object {
    return { ...rawParameters(request) };
  }

  @Put('echo')
  echoOfPut(@Req() request: Request): object {
    return { ...rawParameters(request) };
  }

  @Delete('echo')
  echoOfDelete(@Req() request: Request): object {
    return { ...rawParameters(request) };
  }

  @Post('files')
  files(@Req() request: Request): object {
    return Object.fromEntries(
      Object.entries(rawParameters(request)).filter(([, value]) => value instanceof ReceivedFile),
    );
  }

  @Get('credential')
  credential(@Req() request: Request): object {
    return readCredential(request);
  }

  @Delete('credential')
  credentialOfDelete(@Req() request: Request): object {
    return readCredential(request);
  }
}

@Controller()
export class OutsideController {
  @Get('healthz')
  health(): object {
    return { status: 'ok' };
  }

  /** 64 MiB, as fast as they are read. */
  @Get(':space/:repo.git/large')
  large(@Res() response: Response): void {
    const chunk = Buffer.alloc(65_536);
    Readable.from(Array<Buffer>(1_024).fill(chunk)).pipe(response);
  }

  /** 64 MiB that wait at once. */
  @Get(':space/:repo.git/piece')
  piece(@Res() response: Response): void {
    response.end(Buffer.alloc(64 * 1024 * 1024));
  }

  @Post(':space/:repo.git/pack')
  async pack(@Req() request: Request, @Res() response: Response): Promise<void> {
    let size = 0;
    for await (const chunk of request) size += (chunk as Buffer).length;
    response.json({ size, type: request.headers['content-type'] });
  }
}
