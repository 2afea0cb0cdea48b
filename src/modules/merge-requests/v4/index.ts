export { presentDetailedStatus } from './merge-request.view.js';
