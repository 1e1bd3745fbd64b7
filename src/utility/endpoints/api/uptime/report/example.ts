/** What the documents show of the endpoint. */
export const UPTIME_EXAMPLE = {
  input: { url: 'https://example.com/' },
  output: {
    url: 'https://example.com/',
    up: true,
    status: 200,
    status_text: 'OK',
    error: null,
    final_url: 'https://example.com/',
    method_used: 'HEAD' as const,
    http_version: '2' as const,
    timings: { dns_ms: 4.1, tcp_ms: 11.8, tls_ms: 14.2, ttfb_ms: 38.9, total_ms: 69 },
    elapsed_ms: 69.6,
    server: {
      ip: '93.184.215.14',
      family: 4 as const,
      location: {
        ...{ country: 'US', region: null, city: null, lat: null, lon: null },
        attribution:
          'Country by ip-location-db geo-whois-asn-country (CC0), from statistics of the NRO (https://www.nro.net), CC BY 4.0.',
      },
    },
    tls: {
      protocol: 'TLSv1.3',
      cipher: 'TLS_AES_256_GCM_SHA384',
      alpn: 'h2',
      trusted: true,
      trust_error: null,
      hostname_match: true,
      issuer: { cn: 'Example TLS CA 1', o: 'Example Trust Services' },
      subject: { cn: 'example.com', o: null },
      san: ['example.com', 'www.example.com'],
      valid_from: '2026-10-02T00:00:00.000Z',
      valid_to: '2026-12-31T23:59:59.000Z',
      expires_in_days: 40,
      fingerprint_sha256:
        '5E:F2:F2:14:26:0A:B8:F5:8E:55:EE:A4:2E:4A:C0:4B:0F:17:18:07:D8:D1:18:5F:DD:D6:74:70:E9:AB:60:96',
      serial: '0F12B5A7',
      key: { type: 'ec', bits: 256 },
      chain: ['Example TLS CA 1'],
    },
    http2: true,
    cdn: {
      detected: true,
      provider: 'Cloudflare',
      evidence: [{ provider: 'Cloudflare', source: 'header' as const, seen: 'server: cloudflare' }],
      cname: [],
    },
    redirects: [],
    headers: { server: 'cloudflare', 'content-type': 'text/html' },
    ts: '2026-11-21T10:00:00.000Z',
  },
}
