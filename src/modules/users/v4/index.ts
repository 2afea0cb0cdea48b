export { V4UserPresenter } from './user.presenter.js';
export { V4UserBasicView } from './user.view.js';
