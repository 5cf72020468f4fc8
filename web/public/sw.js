/** Takes files that other apps of a phone share, and leaves them where the page finds them. It does nothing else. */
const version = 1;

function kept(file) {
  const { name, size, type, lastModified } = file;
  return { id: crypto.randomUUID(), name, size, type, lastModified, speakers: false, file };
}

function keep(files) {
  return new Promise((resolve, reject) => {
    const opening = indexedDB.open('longhand', version);
    opening.onupgradeneeded = () => opening.result.createObjectStore('upload', { keyPath: 'id' });
    opening.onerror = () => reject(opening.error);
    opening.onsuccess = () => {
      const transaction = opening.result.transaction('upload', 'readwrite');
      for (const file of files) transaction.objectStore('upload').put(kept(file));
      transaction.oncomplete = () => resolve(opening.result.close());
      transaction.onerror = () => reject(transaction.error);
    };
  });
}

async function receive(request) {
  const form = await request.formData();
  await keep(form.getAll('recording').filter((one) => one instanceof File));
  const link = new URLSearchParams();
  for (const name of ['title', 'text', 'url']) if (form.get(name)) link.set(name, String(form.get(name)));
  return Response.redirect(`/?${link}`, 303);
}

addEventListener('install', () => skipWaiting());
addEventListener('activate', (event) => event.waitUntil(clients.claim()));
addEventListener('fetch', (event) => {
  const { pathname } = new URL(event.request.url);
  if (event.request.method === 'POST' && pathname === '/share') event.respondWith(receive(event.request));
});
