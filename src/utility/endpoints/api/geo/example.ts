/** A request and its answer. */
export const GEO_EXAMPLE = {
  input: { ip: '81.2.69.142' },
  output: {
    ip: '81.2.69.142',
    version: 4 as const,
    bogon: false,
    country: 'GB',
    country_name: 'United Kingdom',
    region: 'England',
    city: 'London',
    postal: null,
    lat: 51.5143,
    lon: -0.0912,
    ll: [51.5143, -0.0912],
    timezone: 'Europe/London',
    accuracy: 'city-approximate' as const,
    source: 'dbip-city',
    source_date: '2026-06-05',
    attribution:
      'IP Geolocation by DB-IP (https://db-ip.com), CC BY 4.0. Time zone: timezone-boundary-builder, from OpenStreetMap data, © OpenStreetMap contributors, ODbL 1.0.',
    ts: '2026-11-21T10:00:00.000Z',
  },
}
