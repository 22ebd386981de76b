// SPDX-License-Identifier: MIT
// sharing_view.js: shows whether a shared history is saved and connected, and what others changed.

import { button, element, group } from './dom.js';

/** Makes the group of controls. Its show() brings it up to date. */
export function makeSharingView(/** @type {import('./sharing_history.js').SharedHistory} */ history) {
  const status = element('p', { id: 'sharing-status', role: 'status' });
  const news = element('p', { id: 'sharing-news', class: 'muted', role: 'status' });
  const retry = button('Try again', () => history.save(), { id: 'sharing-retry' });
  const panel = group(history.isLine ? 'Shared line' : 'Shared store', status, news, retry);
  panel.id = 'sharing';

  const state = () => {
    if (history.readOnly !== null) return ['reading', `${history.name} is open for reading only: ${history.readOnly}`];
    if (history.problem !== null)
      return ['problem', `${history.hasDrafts ? 'Not saved' : 'Perhaps not up to date'}: ${history.problem}${history.isRetrying ? '. The page tries again by itself.' : ''}`];
    if (history.serverProblem !== null) return ['problem', `The server reports a problem: ${history.serverProblem}`];
    if (!history.isConnected) return ['alone', `${history.name}: no connection to the server. This page keeps working, and saves once it is connected again.`];
    return history.hasDrafts ? ['saving', `${history.name}: saving …`] : ['saved', `${history.name}: saved`];
  };
  return {
    panel,
    show() {
      const [name, text] = state();
      if (status.textContent !== text) status.textContent = text;
      status.dataset.state = name;
      retry.hidden = history.problem === null;
    },
    /** Shows a text about changes by others. */
    tell(/** @type {string} */ text) {
      news.textContent = text;
    },
  };
}
