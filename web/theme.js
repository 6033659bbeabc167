// The theme before anything is drawn; store.js keeps it up to date. A plain script, so that it runs first. Modules are
// asked for with the address of the page (Origin), plain scripts are not: a server that refuses that address sends this
// file and no other script, so that the page is explained from here.
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
