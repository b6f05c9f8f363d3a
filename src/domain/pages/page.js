(()=>{
const d=document,v=d.body.dataset;let now=+v.now,at=performance.now(),old=false;
const clock=()=>now+performance.now()-at;
const all=q=>d.querySelectorAll(q);
const local=()=>{const l=d.documentElement.lang,day=new Date().toDateString();
for(const t of all("time")){const m=new Date(t.dateTime);if(isNaN(m))continue;
t.title=t.title||t.textContent;
const o={timeStyle:"short",hourCycle:"h23"};if(m.toDateString()!==day)o.dateStyle="medium";
t.textContent=m.toLocaleString(l,o)}
for(const s of all("[data-local]"))s.textContent=s.dataset.local};
const grey=s=>{s.setAttribute("class","sign s-unknown");s.firstElementChild.setAttribute("href","#s-unknown")};
const check=()=>{let some=false,rest=false;
for(const c of all("[data-until]")){if(+c.dataset.until>clock()){rest=true;continue}
const s=c.querySelector(".state");some=old=true;if(s.className==="state s-unknown")continue;
grey(s.firstElementChild);s.className="state s-unknown";s.lastChild.textContent=v.unknown}
const h=d.querySelector(".verdict h1"),s=d.querySelector(".verdict>.sign");
if(some&&h&&h.textContent!==v.heading&&(!rest||s.matches(".s-operational"))){h.textContent=v.heading;grey(s)}};
const refresh=async()=>{try{const r=await fetch(v.json);
if(r.ok){const j=await r.json(),t=Date.parse(j.asOf),i=d.getElementById("mail");
if(t>clock()){now=t;at=performance.now()}
const fresh=j.components.every(c=>Date.parse(c.validUntil)>clock());
const same=j.page.revision===v.revision;
if((!same||(old&&fresh))&&!(i&&(i.value||i===d.activeElement)))return location.reload();
if(same){for(const c of j.components){const e=d.getElementById(c.id);
if(e)e.dataset.until=Date.parse(c.validUntil)}
const e=d.querySelector("#as-of time");if(e){e.dateTime=j.evidenceAt||j.asOf;e.title="";local()}}}}catch{}
check();wait()};
const wait=()=>{let ms=5e4+2e4*Math.random();
for(const c of all("[data-until]")){const left=c.dataset.until-clock();if(left>0)ms=Math.min(ms,Math.max(left-5e3,5e3))}
setTimeout(refresh,ms)};
try{local()}catch{}
check();setInterval(check,1e3);wait()})();
