// Proposes the timezone of the device where a learner changes that of the dates.

const field = document.getElementById("timezone");
const { timeZone } = Intl.DateTimeFormat().resolvedOptions();

if (field && timeZone) field.value = timeZone;
