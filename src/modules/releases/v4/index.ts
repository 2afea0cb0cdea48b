export { V4ReleasePresenter } from './release.presenter.js';
