// The theme before anything is drawn; store.js keeps it up to date. A plain script, so that it runs first.
(function () {
    let wanted = 'auto';
    try {
        wanted = JSON.parse(localStorage.getItem('pyramids.settings') || '{}').theme || 'auto';
    } catch { /* no storage: follow the system */ }
    document.documentElement.dataset.theme = wanted === 'auto' ? (matchMedia('(prefers-color-scheme: dark)').matches ? 'dark' : 'light') : wanted;
})();
