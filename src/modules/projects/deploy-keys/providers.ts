import { AllDeployKeysController } from './all-deploy-keys.controller.js';
import { DeployKeysController } from './deploy-keys.controller.js';
import { DeployKeysRepository } from './deploy-keys.repository.js';
import { DeployKeysService } from './deploy-keys.service.js';
import { UnlinkDeployKeys } from './unlink-deploy-keys.js';

export const DEPLOY_KEY_CONTROLLERS = [AllDeployKeysController, DeployKeysController];

export const DEPLOY_KEY_PROVIDERS = [DeployKeysRepository, DeployKeysService, UnlinkDeployKeys];
