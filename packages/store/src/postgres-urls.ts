/**
 * The URL of each host that a state URL names: `postgres://user@one:5432,two:5432/name` names two, as in libpq
 * (https://www.postgresql.org/docs/current/libpq-connect.html#LIBPQ-MULTIPLE-HOSTS).
 */
export function listPostgresUrls(url: string): readonly string[] {
  const parts = /^(postgres(?:ql)?:\/\/(?:[^/?#@]*@)?)([^/?#]*)(.*)$/s.exec(url)
  if (!parts) return [url]
  const [, start = '', hosts = '', rest = ''] = parts
  return hosts.split(',').map((host) => start + host + rest)
}
