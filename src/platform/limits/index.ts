export * from './budgets.js';
