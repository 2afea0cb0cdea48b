export { toPages } from './pages/to-pages.js';
export { ErrorPages } from './sign-in/error-pages.js';
export { WebModule } from './web.module.js';
