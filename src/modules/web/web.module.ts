import { Module } from '@nestjs/common';
import { AssetsController } from './html/assets.controller.js';
import { PageSender } from './html/page-sender.js';
import { StartController } from './pages/start.controller.js';
import { ErrorPages } from './sign-in/error-pages.js';
import { SessionCookies } from './sign-in/session-cookies.js';
import { SignInController } from './sign-in/sign-in.controller.js';

/** Pages for browsers. */
@Module({
  controllers: [AssetsController, SignInController, StartController],
  providers: [ErrorPages, PageSender, SessionCookies],
})
export class WebModule {}
