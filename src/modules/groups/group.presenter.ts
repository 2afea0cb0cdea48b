import { Injectable } from '@nestjs/common';
import { Urls } from '../../platform/urls/index.js';
import type { GroupView } from './group.view.js';
import type { Namespace } from './namespaces/namespace.entity.js';

@Injectable()
export class GroupPresenter {
  constructor(private readonly urls: Urls) {}

  present(group: Namespace): GroupView {
    return {
      id: group.id,
      name: group.name,
      path: group.path,
      description: group.description,
      visibility_level: group.visibilityLevel,
      lfs_enabled: group.lfsEnabled,
      avatar_url: null,
      web_url: this.urls.web('groups', group.path),
      request_access_enabled: group.requestAccessEnabled,
    };
  }
}
