/**
 * Cloud-drive links: from the link that people share to the address that gives the bytes. One small pure function
 * per service; nothing here asks the network.
 */
import type { MediaFailureCode } from '../media-failure.ts';

export type DriveService = 'google' | 'dropbox' | 'onedrive' | 'sharepoint' | 'nextcloud';

export type DriveShape =
  /** The bytes are at `url`, unless the service answers with a page (drive-answers.ts). */
  | { kind: 'drive'; service: DriveService; url: URL }
  /** Only a page resolver can find the file. */
  | { kind: 'page'; url: URL }
  | { kind: 'refused'; code: MediaFailureCode };

const folder: DriveShape = { kind: 'refused', code: 'source_not_accepted' };
const unsupported: DriveShape = { kind: 'refused', code: 'source_unsupported' };

/** Undefined when the link is not one of a cloud drive that we know. */
export function driveShape(url: URL): DriveShape | undefined {
  const host = url.hostname.toLowerCase().replace(/\.$/, '');
  if (/^(drive|docs|drive\.usercontent)\.google\.com$/.test(host)) return googleDrive(url);
  if (/^((www|m)\.)?dropbox\.com$/.test(host)) return dropbox(url);
  if (/^(1drv\.ms|onedrive\.live\.com|photos\.onedrive\.com)$/.test(host)) return oneDrive(url);
  if (/^[a-z0-9-]+\.sharepoint\.(com|us|de|cn)$/.test(host)) return sharePoint(url);
  if (/(^|\.)box\.com$/.test(host)) return box(url);
  if (unsupportedHosts.test(host)) return unsupported;
  return nextcloud(url);
}

/** Services that hand out files only to their own programs or after a click. */
const unsupportedHosts =
  /^((u|e|my|www)\.pcloud\.(com|link)|we\.tl|(www\.)?wetransfer\.com|(www|share)\.icloud\.com|(www\.)?mega\.(nz|co\.nz|io)|photos\.app\.goo\.gl|photos\.google\.com)$/;

function googleDrive(url: URL): DriveShape {
  const { pathname: path, searchParams: query } = url;
  if (/\/folders\/|^\/embeddedfolderview|^\/folderview/.test(path)) return folder;
  if (/^\/(document|spreadsheets|presentation|forms)\//.test(path)) return unsupported;
  const inPath = /\/file\/(?:u\/\d+\/)?d\/([\w-]{10,})/.exec(path)?.[1];
  const takesId = /^\/(?:u\/\d+\/|a\/[^/]+\/)?(open|uc|download|leaf)$/.test(path);
  const id = inPath ?? (takesId ? query.get('id') : null);
  if (!id || !/^[\w-]{10,}$/.test(id)) return folder;
  const direct = new URL('https://drive.usercontent.google.com/download');
  direct.search = new URLSearchParams({ id, export: 'download', confirm: 't' }).toString();
  const resourceKey = query.get('resourcekey');
  if (resourceKey) direct.searchParams.set('resourcekey', resourceKey);
  return { kind: 'drive', service: 'google', url: direct };
}

function dropbox(url: URL): DriveShape {
  const { pathname: path } = url;
  if (/^\/(scl\/fo|sh|home|personal|transfer)(\/|$)/.test(path)) return folder;
  if (!/^\/(s\/[^/]+\/[^/]+|s\/[^/]+|scl\/fi\/[^/]+)/.test(path)) return folder;
  const direct = new URL(url.href);
  direct.protocol = 'https:';
  direct.hash = '';
  direct.searchParams.delete('raw');
  direct.searchParams.set('dl', '1'); // scl/fi links keep their rlkey, without which they are private.
  return { kind: 'drive', service: 'dropbox', url: direct };
}

function oneDrive(url: URL): DriveShape {
  if (/^\/f\//.test(url.pathname)) return folder;
  const plain = new URL(url.href);
  plain.hash = '';
  const token = Buffer.from(plain.href).toString('base64url');
  return {
    kind: 'drive',
    service: 'onedrive',
    url: new URL(`https://api.onedrive.com/v1.0/shares/u!${token}/root/content`),
  };
}

function sharePoint(url: URL): DriveShape {
  if (/^\/:f:\//.test(url.pathname)) return folder;
  if (/^\/:[wxpo]:\//.test(url.pathname)) return unsupported;
  const direct = new URL(url.href);
  direct.hash = '';
  direct.searchParams.set('download', '1');
  return { kind: 'drive', service: 'sharepoint', url: direct };
}

function box(url: URL): DriveShape | undefined {
  if (/^\/folder\//.test(url.pathname)) return folder;
  if (/^\/(s|v|file)\/\w+/.test(url.pathname)) return { kind: 'page', url: new URL(url.href) };
  return url.pathname.startsWith('/shared/static/') ? undefined : folder;
}

/** Any host may run one; the share token of both Nextcloud and ownCloud has fifteen letters and digits. */
function nextcloud(url: URL): DriveShape | undefined {
  const found = /^(.*?)((?:\/index\.php)?\/s\/[A-Za-z0-9]{15})(\/download)?\/?$/.exec(url.pathname);
  if (!found) return undefined;
  const direct = new URL(url.href);
  direct.hash = '';
  direct.pathname = `${found[1]}${found[2]}/download`;
  return { kind: 'drive', service: 'nextcloud', url: direct };
}
