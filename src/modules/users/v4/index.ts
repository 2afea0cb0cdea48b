export { V4UserPresenter } from './user.presenter.js';
export { V4UserBasicView } from './user.view.js';
export { presentV4SshKey, V4SshKeyView } from './ssh-key.view.js';
