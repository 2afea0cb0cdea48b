export { GetForm, Link, PostForm, Scrollable, Time } from './html/components.js';
export { type WebPage, PageSender } from './html/page-sender.js';
export { toPages } from './pages/to-pages.js';
export { ErrorPages } from './sign-in/error-pages.js';
export { OnlyAdministrators, PageController, SignedIn } from './sign-in/page.guard.js';
export { WebModule } from './web.module.js';
