/**
 * A page that tries every way out of a browser that we know of to `canary`, an origin, and to `stun`, a host and port
 * over UDP. Each way has a path of its own. Its title says when it has tried them all.
 * @param redirect a URL of the page's own origin that redirects to the canary
 */
export function hostilePage({
  canary,
  stun,
  redirect,
}: {
  readonly canary: string
  readonly stun: string
  readonly redirect: string
}): string {
  const { host, port } = new URL(canary)
  const spelled = [`localhost:${port}`, `[::ffff:127.0.0.1]:${port}`, `2130706433:${port}`, `0x7f.1:${port}`]
  return `<!doctype html><html><head><title>trying</title>
<link rel="preconnect" href="${canary}"><link rel="dns-prefetch" href="${canary}">
<link rel="prefetch" href="${canary}/prefetch"><link rel="preload" as="script" href="${canary}/preload">
<link rel="modulepreload" href="${canary}/modulepreload"><link rel="stylesheet" href="${canary}/stylesheet">
<link rel="icon" href="${canary}/icon"><link rel="manifest" href="${canary}/manifest">
<style>@import url(${canary}/import); @font-face { font-family: f; src: url(${canary}/font) }
body { font-family: f; background: url(${canary}/background) }</style>
<script type="speculationrules">{"prerender":[{"urls":["${redirect}"],"eagerness":"immediate"}]}</script>
<script src="${canary}/script"></script><script src="${redirect}"></script></head>
<body>text<img src="${canary}/img" srcset="${canary}/srcset 2x"><video src="${canary}/video" autoplay></video>
<audio src="${canary}/audio" autoplay></audio><object data="${canary}/object"></object>
<embed src="${canary}/embed"><iframe src="${canary}/iframe"></iframe><iframe src="${redirect}"></iframe>
<svg><image href="${canary}/svg"></image><use href="${canary}/use#a"></use></svg>
<form action="${canary}/form" method="post" target="_blank"><input name="a"></form>
<a id="ping" href="#here" ping="${canary}/ping">ping</a><a id="download" href="${canary}/download" download>file</a>
<a id="blank" href="${canary}/blank" target="_blank">other</a>
<script>
const callStun = (from) => {
  const peer = new from.RTCPeerConnection({ iceServers: [{ urls: 'stun:${stun}' }] })
  peer.createDataChannel('a')
  return peer.createOffer().then((offer) => peer.setLocalDescription(offer))
}
const inFrame = (attributes) => {
  const frame = Object.assign(document.createElement('iframe'), attributes)
  document.body.append(frame)
  return frame.contentWindow
}
const asked = (name) => "fetch('${canary}/" + name + "'); new WebSocket('ws://${host}/" + name + "-socket')"
const inBlob = (name) => URL.createObjectURL(new Blob([asked(name)], { type: 'text/javascript' }))
const ways = [
  () => fetch('${canary}/fetch'),
  () => fetch('${canary}/no-cors', { mode: 'no-cors', keepalive: true }),
  () => fetch('${canary}/post', { method: 'POST', body: 'a' }),
  () => fetch('${canary}/preflight', { method: 'PUT', headers: { 'x-a': 'b' } }),
  () => fetch('${redirect}'),
  ...${JSON.stringify(spelled)}.map((spelling) => () => fetch('http://' + spelling + '/spelled')),
  () => { const x = new XMLHttpRequest(); x.open('GET', '${canary}/xhr'); x.send() },
  () => { const x = new XMLHttpRequest(); x.open('GET', '${canary}/sync', false); x.send() },
  () => navigator.sendBeacon('${canary}/beacon', 'a'),
  () => new EventSource('${canary}/events'),
  () => new WebSocket('ws://${host}/socket'),
  () => new WebSocketStream('ws://${host}/stream'),
  () => new WebTransport('https://${host}/transport'),
  () => callStun(window),
  () => callStun(inFrame({})),
  () => callStun(inFrame({ srcdoc: '<p>a</p>' })),
  () => inFrame({ srcdoc: '<script>' + asked('srcdoc') + '</scr' + 'ipt>' }),
  () => inFrame({ srcdoc: '<script>' + asked('sandbox') + '</scr' + 'ipt>', sandbox: 'allow-scripts' }),
  () => inFrame({ src: 'data:text/html,<script>' + asked('data') + '</scr' + 'ipt>' }),
  () => inFrame({}).eval(asked('eval')),
  () => new Worker(inBlob('worker')),
  () => new SharedWorker(inBlob('shared')),
  () => navigator.serviceWorker.register('/worker.js'),
  () => import('${canary}/module'),
  () => window.open('${canary}/open'),
  () => window.open('about:blank').eval(asked('opened')),
  () => document.forms[0].submit(),
  () => document.querySelector('#ping').click(),
  () => document.querySelector('#download').click(),
  () => document.querySelector('#blank').click(),
  () => alert('stop'),
  () => new Image().src = '${canary}/image',
]
let tried = 0
for (const way of ways) {
  try { Promise.resolve(way()).catch(() => {}) } catch {}
  tried += 1
}
document.title = 'tried ' + tried + ' of ' + ways.length
</script></body></html>`
}
