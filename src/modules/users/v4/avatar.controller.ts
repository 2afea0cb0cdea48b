import { Get, Query } from '@nestjs/common';
import { V4Controller } from '../../../faces/index.js';
import { Answers, IntegerParam, StringParam } from '../../../platform/http/index.js';
import { Requires } from '../../authorization/index.js';
import { SettingsService } from '../../settings/index.js';
import { imageOf } from './user.presenter.js';
import { V4AvatarView } from './avatar.view.js';

const LARGEST = 1_024;

/** `GET /avatar`. */
class V4FindAvatarDto {
  @StringParam({ required: true, blank: 'refused' })
  email!: string;

  @IntegerParam({ min: 1, max: LARGEST, default: 40, description: 'In pixels.' })
  size?: number;
}

@V4Controller('avatar', 'Avatar')
export class V4AvatarController {
  constructor(private readonly settings: SettingsService) {}

  /** The image of the avatar service for an e-mail address, whether or not an account has it. */
  @Get()
  @Requires('user:search')
  @Answers(V4AvatarView)
  async find(@Query() { email, size }: V4FindAvatarDto): Promise<V4AvatarView> {
    const { avatarServiceEnabled } = await this.settings.current();
    return { avatar_url: avatarServiceEnabled ? imageOf(email, size) : null };
  }
}
