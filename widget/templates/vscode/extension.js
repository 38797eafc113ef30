const vscode = require('vscode');
const { signInWithCode } = require('svc-checkout/device');
const { createSvcFetch } = require('svc-checkout/fetch');

const service = 'https://YOUR-SERVICE';
const publishableKey = 'svc_pk_…';
const model = 'sandbox/story';

exports.activate = ({ secrets, subscriptions }) => {
  const openExternal = (url) => vscode.env.openExternal(vscode.Uri.parse(url));

  const svcFetch = createSvcFetch({
    service,
    getUserKey: async () => (await secrets.get('userKey')) ?? null,
    async onNeed({ status, message, actionUrl }) {
      if (status === 401) return signIn();
      const choice = await vscode.window.showWarningMessage(message, ...(actionUrl ? ['Buy credits'] : []));
      if (choice === undefined) return false;
      await openExternal(actionUrl);
      return (await vscode.window.showInformationMessage('Bought credits?', 'Continue')) !== undefined;
    },
  });

  async function signIn() {
    const userKey = await signInWithCode({
      service,
      publishableKey,
      onCode({ userCode, url }) {
        vscode.window.showInformationMessage(`Compare this code in your browser: ${userCode}`);
        openExternal(url);
      },
    });
    if (userKey !== null) await secrets.store('userKey', userKey);
    return userKey !== null;
  }

  async function explain() {
    const editor = vscode.window.activeTextEditor;
    const text = editor?.document.getText(editor.selection);
    if (!text) return vscode.window.showInformationMessage('Select some code first.');
    const response = await svcFetch(`${service}/v1/chat/completions`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify({
        model,
        messages: [{ role: 'user', content: `Explain this code:\n\n${text}` }],
        max_tokens: 300,
      }),
    });
    const { choices, error } = await response.json();
    const content = error?.message ?? choices[0].message.content;
    return vscode.window.showTextDocument(await vscode.workspace.openTextDocument({ content }));
  }

  subscriptions.push(
    vscode.commands.registerCommand('mySvcApp.explain', explain),
    vscode.commands.registerCommand('mySvcApp.signOut', () => secrets.delete('userKey')),
  );
};
