import { Injectable } from '@nestjs/common';
import { GroupPresenter, type Namespace } from '../../groups/index.js';
import { ProjectPresenter } from '../project.presenter.js';
import type { GroupDetailView } from './group-detail.view.js';
import type { EmbeddedProjects } from './group-projects.service.js';

@Injectable()
export class GroupDetailPresenter {
  constructor(
    private readonly groups: GroupPresenter,
    private readonly projects: ProjectPresenter,
  ) {}

  present(group: Namespace, { own, shared }: EmbeddedProjects): GroupDetailView {
    return {
      ...this.groups.present(group),
      projects: own.map((parts) => this.projects.present(parts)),
      shared_projects: shared.map((parts) => this.projects.present(parts)),
    };
  }
}
