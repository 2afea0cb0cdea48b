import { Body, Delete, Get, Param, Post, Put, Query } from '@nestjs/common';
import { V4Controller } from '../../../faces/index.js';
import {
  Answers,
  AnswersList,
  AnswersNothing,
  AtLeastOneOf,
  BooleanParam,
  PageQuery,
  StringParam,
} from '../../../platform/http/index.js';
import { mapPage, type Page } from '../../../platform/pagination/index.js';
import { Audits } from '../../audit/index.js';
import { Caller, InProject, type ProjectRef, Requires } from '../../authorization/index.js';
import { User } from '../../users/index.js';
import { DeployKeysService } from '../deploy-keys/deploy-keys.service.js';
import {
  presentV4DeployKey,
  presentV4ProjectDeployKey,
  V4DeployKeyView,
  V4ProjectDeployKeyView,
} from './deploy-key.view.js';

/** `POST /projects/:id/deploy_keys`. */
class V4CreateDeployKeyDto {
  @StringParam({ required: true })
  title!: string;

  @StringParam({ required: true, description: "One line in OpenSSH's form." })
  key!: string;

  @BooleanParam({ description: 'Whether it may push to the project.', default: false })
  can_push: boolean = false;
}

/** `PUT /projects/:id/deploy_keys/:key_id`. */
@AtLeastOneOf('title', 'can_push')
class V4UpdateDeployKeyDto {
  @StringParam({
    description: 'Of a key that other projects have, too, changed by administrators only.',
  })
  title?: string;

  @BooleanParam({ description: 'Whether it may push to the project.' })
  can_push?: boolean;
}

@V4Controller('deploy_keys', 'AllDeployKeys')
export class V4AllDeployKeysController {
  constructor(private readonly keys: DeployKeysService) {}

  /** The deploy keys of all projects, newest first. */
  @Get()
  @Requires('deploy-key:list-all')
  @AnswersList(V4DeployKeyView)
  async list(@Query() query: PageQuery): Promise<Page<V4DeployKeyView>> {
    return mapPage(await this.keys.listAllWithProjects(query), ({ key, projects }) =>
      presentV4DeployKey(key, projects),
    );
  }
}

@V4Controller('projects/:id/deploy_keys', 'DeployKeys')
export class V4DeployKeysController {
  constructor(private readonly keys: DeployKeysService) {}

  /** The deploy keys of a project, newest first. */
  @Get()
  @Requires('deploy-key:administer')
  @AnswersList(V4ProjectDeployKeyView)
  async list(
    @InProject() { id: projectId }: ProjectRef,
    @Query() query: PageQuery,
  ): Promise<Page<V4ProjectDeployKeyView>> {
    return mapPage(await this.keys.list(projectId, query), presentV4ProjectDeployKey);
  }

  /** A deploy key of a project. */
  @Get(':key_id')
  @Requires('deploy-key:administer')
  @Answers(V4ProjectDeployKeyView)
  async read(
    @InProject() { id: projectId }: ProjectRef,
    @Param('key_id') id: number,
  ): Promise<V4ProjectDeployKeyView> {
    return presentV4ProjectDeployKey(await this.keys.read(projectId, id));
  }

  /**
   * Adds a deploy key to a project. One that the project has already is answered as it is; one of another project where the
   * caller is master is linked, with its own title.
   */
  @Post()
  @Requires('deploy-key:administer')
  @Audits('deploy_key.added')
  @Answers(V4ProjectDeployKeyView)
  async add(
    @Caller() caller: User,
    @InProject() { id: projectId }: ProjectRef,
    @Body() { title, key, can_push: canPush }: V4CreateDeployKeyDto,
  ): Promise<V4ProjectDeployKeyView> {
    return presentV4ProjectDeployKey(
      await this.keys.add(caller, projectId, { title, key, canPush }),
    );
  }

  /** Changes whether a deploy key may push to a project, and its title. */
  @Put(':key_id')
  @Requires('deploy-key:administer')
  @Audits('deploy_key.updated')
  @Answers(V4ProjectDeployKeyView)
  async update(
    @Caller() caller: User,
    @InProject() { id: projectId }: ProjectRef,
    @Param('key_id') id: number,
    @Body() { title, can_push: canPush }: V4UpdateDeployKeyDto,
  ): Promise<V4ProjectDeployKeyView> {
    return presentV4ProjectDeployKey(
      await this.keys.update(caller, projectId, id, { title, canPush }),
    );
  }

  /** Links a deploy key of a project where the caller is a master, to read; administrators link any. */
  @Post(':key_id/enable')
  @Requires('deploy-key:administer')
  @Audits('deploy_key.added')
  @Answers(V4ProjectDeployKeyView)
  async enable(
    @Caller() caller: User,
    @InProject() { id: projectId }: ProjectRef,
    @Param('key_id') id: number,
  ): Promise<V4ProjectDeployKeyView> {
    return presentV4ProjectDeployKey(await this.keys.enable(caller, projectId, id));
  }

  /** Unlinks a deploy key from a project, and removes it if that was its last one. */
  @Delete(':key_id')
  @Requires('deploy-key:administer')
  @Audits('deploy_key.removed')
  @AnswersNothing()
  async remove(
    @InProject() { id: projectId }: ProjectRef,
    @Param('key_id') id: number,
  ): Promise<void> {
    await this.keys.disable(projectId, id);
  }
}
