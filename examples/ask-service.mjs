// Questions to `supportcal serve`: node ask-service.mjs http://127.0.0.1:8421 [ARTEFACT] [TOKEN]
const [address, artefact, token] = process.argv.slice(2);
const questions = [
  { id: 'bees', question: 'What do bees make?', options: ['honey', 'silk', 'milk'] },
  { id: 'scores', logits: [1.5, 0.25, -2] },
];
const response = await fetch(`${address}/v1/score`, {
  method: 'POST',
  headers: { 'content-type': 'application/json', ...(token && { authorization: `Bearer ${token}` }) },
  body: JSON.stringify({ artefact, questions }),
});
const body = await response.json();
if (!response.ok) throw new Error(`${response.status}: ${body.error.message}`);
for (const { id, status, predictionLabel, confidence, reason } of body.answers)
  console.log(
    status === 'failed' ? `${id}: ${reason}` : `${id}: ${predictionLabel}, confidence ${confidence.toFixed(2)}`,
  );
