// The theme, set before anything is drawn; store.js keeps it up to date. It is a plain script, so that it runs first.
// Modules are requested with the page's Origin, plain scripts are not: a server that refuses that origin sends this file
// but no other script, so this file explains the problem.
(function () {
    let wanted = 'auto';
    try {
        wanted = JSON.parse(localStorage.getItem('pyramids.settings') || '{}').theme || 'auto';
    } catch { /* no storage: follow the system */ }
    document.documentElement.dataset.theme = wanted === 'auto' ? (matchMedia('(prefers-color-scheme: dark)').matches ?
        'dark' : 'light') : wanted;
    function explain() {
        const text = document.getElementById('unloaded');
        const code = text instanceof HTMLTemplateElement && text.content.querySelector('code');
        if (!code)
            return;
        code.textContent = `pyramids serve --origin ${location.origin}`;
        text.replaceWith(text.content);
    }
    addEventListener('error', (event) => {
        if (!(event.target instanceof HTMLScriptElement))
            return;
        if (document.readyState === 'loading')
            addEventListener('DOMContentLoaded', explain);
        else
            explain();
    }, true);
})();
