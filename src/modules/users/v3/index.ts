export { CreateSshKeyDto } from './ssh-keys.controller.js';
export { presentSshKey, SshKeyView } from './ssh-key.view.js';
export { summarizeUser } from './present-user.js';
export { UserPresenter } from './user.presenter.js';
export { UserSummaryView } from './user.view.js';
