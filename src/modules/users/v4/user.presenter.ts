import { hash } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { Urls } from '../../../platform/config/index.js';
import type { SummarizedUser } from '../model/user-summary.js';
import type { V4UserBasicView } from './user.view.js';

@Injectable()
export class V4UserPresenter {
  constructor(private readonly urls: Urls) {}

  /** Presents a user as other objects embed it. */
  basic(user: SummarizedUser): V4UserBasicView {
    return {
      id: user.id,
      username: user.username,
      name: user.name,
      state: user.state,
      locked: false,
      avatar_url: avatarUrl(user),
      web_url: this.urls.web(user.username),
    };
  }
}

/** The image of the avatar service for the e-mail address. */
function avatarUrl({ avatarServiceEnabled, email, ghost }: SummarizedUser): string | null {
  if (!avatarServiceEnabled || ghost) return null;
  return `https://secure.gravatar.com/avatar/${hash('md5', email.toLowerCase())}?s=80&d=identicon`;
}
