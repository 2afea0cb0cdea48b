export {
  type IssuablePresenter,
  IssuablePresenters,
  PresentsIssuables,
} from './issuable-presenters.js';
export { MilestoneView, presentMilestone } from './planning/milestone.view.js';
export { answerCommands, COMMANDS_ONLY, CommandsView } from './notes/commands.view.js';
