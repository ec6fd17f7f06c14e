// What the address says: #token=...&world=...&profile=...
//
// The token goes out of the address bar at once, so that it is in no history, bookmark or screenshot. This tab keeps it until it is
// closed, so that a reload works.
const TOKEN_KEY = 'navd.token';

export interface Address {
  token: string;
  world: string;
  profile: string;
}

export function readAddress(): Address {
  const fragment = new URLSearchParams(location.hash.slice(1));
  const given = fragment.get('token');
  if (given !== null) {
    store(given);
    fragment.delete('token');
    history.replaceState(null, '', toHash(fragment));
  }
  return { token: given ?? stored(), world: fragment.get('world') ?? '', profile: fragment.get('profile') ?? '' };
}

// Shows what is open, so that a reload or a link comes back to it.
export function showAddress(world: string, profile: string): void {
  const fragment = new URLSearchParams();
  if (world) fragment.set('world', world);
  if (profile) fragment.set('profile', profile);
  history.replaceState(null, '', toHash(fragment));
}

export function socketUrl(): string {
  return `${location.protocol === 'https:' ? 'wss' : 'ws'}://${location.host}/socket`;
}

const toHash = (fragment: URLSearchParams): string => `${location.pathname}${location.search}${fragment.size > 0 ? `#${fragment}` : ''}`;

function store(token: string): void {
  try {
    sessionStorage.setItem(TOKEN_KEY, token);
  } catch {
    // A browser that stores nothing: a reload needs the address again.
  }
}

function stored(): string {
  try {
    return sessionStorage.getItem(TOKEN_KEY) ?? '';
  } catch {
    return '';
  }
}
